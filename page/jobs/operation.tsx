/** One action on many jobs. A dry run comes first, so that the confirmation contains the number of jobs. */
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { operation, operationRequest } from '../../http/schemas/jobs/operations.ts';
import { get, send } from '../kit/api.ts';
import { count, countText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Problem, Progress } from '../kit/parts.tsx';
import { Outcome } from '../kit/selection/bulk.tsx';
import { TEXT } from '../kit/text.ts';

type Operation = z.output<typeof operation>;
type Request = z.input<typeof operationRequest>;
export type Deed = Pick<Request, 'action' | 'priority' | 'add' | 'remove'>;
/** The jobs of an action. */
export type Target = Pick<Request, 'ids' | 'filter'>;

/** Interval between two updates of an operation: milliseconds. */
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

/** The last action on jobs, and its result. */
interface Last {
  readonly operation?: Operation;
  readonly problem?: string;
  /** Starts the action again for the jobs that were not processed. */
  readonly again?: (() => void) | undefined;
}

/** Asks for confirmation with the number of jobs, then runs an action. `onEnd`: called when the action has ended. */
export function useOperation(onEnd?: () => void) {
  const [last, setLast] = useState<Last>({});
  const [busy, setBusy] = useState(false);
  const act = async (deed: Deed, target: Target) => {
    setBusy(true);
    setLast({});
    const again = () => void act(deed, target);
    try {
      const planned = await run({ ...deed, ...target, dryRun: true }, () => undefined);
      const question = [
        `${countText(planned.done, TEXT.jobs.job)}. ${QUESTIONS[deed.action]}`,
        ...planned.refusals.map(refusedSentence),
      ];
      if (planned.done > 0 && confirm(question.join('\n'))) {
        const done = await run({ ...deed, ...target }, (operation) => setLast({ operation }));
        const ids = refusedIds(done);
        setLast({ operation: done, again: ids && (() => void act(deed, { ids })) });
        onEnd?.();
      } else if (planned.done === 0)
        setLast({ problem: question.slice(1).join('\n') || TEXT.jobs.noJobMatches, again });
    } catch (error) {
      setLast({ problem: (error as Error).message, again });
    }
    setBusy(false);
  };
  return {
    ...{ last, busy, dismiss: () => setLast({}) },
    act: (deed: Deed, target: Target) => void act(deed, target),
  };
}

/** Returns the refused jobs. Returns undefined if the answer does not name all of them. */
function refusedIds({ refusals }: Operation): string[] | undefined {
  const named = refusals.flatMap(({ examples }) => examples);
  return named.length > 0 && refusals.every(({ count: jobs, examples }) => jobs === examples.length)
    ? named
    : undefined;
}

/** Returns the number of jobs that match a filter. Sends no request if the filter is undefined. */
export const useMatched = (filter: Readonly<Record<string, string>> | undefined) =>
  useLoaded(
    async () =>
      filter === undefined
        ? undefined
        : (await run({ action: 'resubmit', filter, dryRun: true }, () => undefined)).matched,
    [JSON.stringify(filter)],
  );

export const hasOutcome = ({ operation, problem }: Last) => operation !== undefined || problem !== undefined;

/** The progress of an action, then its result. */
export function OperationOutcome({ of: { operation, problem, again } }: { readonly of: Last }) {
  if (problem !== undefined) return <Problem again={again}>{problem}</Problem>;
  if (operation === undefined) return null;
  const { operationId, terminal, progress, matched, done, refusals, message } = operation;
  return (
    <>
      {!terminal && <Progress percent={progress} label={operationId} />}
      <Outcome
        text={`${TEXT.kit.ofDone(count(done), countText(matched, TEXT.jobs.job))}${
          message === null ? '' : TEXT.jobs.itWaits(message)
        }`}
        failures={refusals.map(refusedSentence)}
        again={again}
      />
    </>
  );
}

const refusedSentence = ({ count: jobs, message, examples }: Operation['refusals'][number]) =>
  TEXT.jobs.refused(
    countText(jobs, TEXT.jobs.job),
    message,
    examples.join(', '),
    jobs > examples.length ? ', …' : '',
  );
