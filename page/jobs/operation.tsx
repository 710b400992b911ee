/** One action on many jobs: it is tried first, so that the question says how many jobs it is about. */
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { operation, operationRequest } from '../../http/schemas/jobs/operations.ts';
import { get, send } from '../kit/api.ts';
import { count, countText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Progress } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';

type Operation = z.output<typeof operation>;
type Request = z.input<typeof operationRequest>;
export type Deed = Pick<Request, 'action' | 'priority' | 'add' | 'remove'>;
/** Which jobs are meant. */
export type Target = Pick<Request, 'ids' | 'filter'>;

/** Time between two looks at an operation: milliseconds. */
const LOOK_MS = 400;

async function run(request: Request, onChange: (now: Operation) => void): Promise<Operation> {
  let now = await send<Operation>('POST', 'rest/operations', request);
  for (;;) {
    onChange(now);
    if (now.terminal) return now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    now = await get<Operation>(`rest/operations/${now.operationId}`);
  }
}

const QUESTIONS: Readonly<Record<string, string>> = {
  retry: TEXT.jobs.runWhatFailedInThem,
  resubmit: TEXT.jobs.runThemAgainFromThe,
  cancel: TEXT.jobs.cancelThemWhatTheyHave,
  delete: TEXT.jobs.deleteThemWithEverythingThat,
  priority: TEXT.jobs.changeTheirPriority,
  label: TEXT.jobs.addTheLabelToThem,
};

/** Asks how many jobs an action is about, then carries it out. `onEnd`: told when that is done. */
export function useOperation(onEnd?: () => void) {
  const [operation, setOperation] = useState<Operation>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const act = async (deed: Deed, target: Target) => {
    setBusy(true);
    setProblem(undefined);
    setOperation(undefined);
    try {
      const planned = await run({ ...deed, ...target, dryRun: true }, () => undefined);
      const question = [
        `${countText(planned.done, TEXT.jobs.job)}. ${QUESTIONS[deed.action]}`,
        ...planned.refusals.map(refusedSentence),
      ];
      if (planned.done > 0 && confirm(question.join('\n'))) {
        await run({ ...deed, ...target }, setOperation);
        onEnd?.();
      } else if (planned.done === 0) setProblem(question.slice(1).join('\n') || TEXT.jobs.noJobMatches);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return { operation, problem, busy, act: (deed: Deed, target: Target) => void act(deed, target) };
}

/** How many jobs match a filter; undefined filter: nobody asks. */
export const useMatched = (filter: Readonly<Record<string, string>> | undefined) =>
  useLoaded(
    async () =>
      filter === undefined
        ? undefined
        : (await run({ action: 'resubmit', filter, dryRun: true }, () => undefined)).matched,
    [JSON.stringify(filter)],
  );

/** How far it is, then what became of it. */
export function Outcome({
  of: { operationId, terminal, progress, matched, done, refusals, message },
}: {
  readonly of: Operation;
}) {
  return (
    <div role="status">
      {!terminal && <Progress percent={progress} label={operationId} />}
      <p>
        {TEXT.jobs.ofDone(count(done), countText(matched, TEXT.jobs.job))}
        {message !== null && TEXT.jobs.itWaits(message)}
      </p>
      {refusals.map((refusal) => (
        <p class="hint" key={refusal.reason}>
          {refusedSentence(refusal)}
        </p>
      ))}
    </div>
  );
}

const refusedSentence = ({ count: jobs, message, examples }: Operation['refusals'][number]) =>
  TEXT.jobs.refused(
    countText(jobs, TEXT.jobs.job),
    message,
    examples.join(', '),
    jobs > examples.length ? ', …' : '',
  );
