/** Jobs that are chosen in the list, and what can be done to all of them. */
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { operation, operationRequest } from '../../http/schemas/jobs/operations.ts';
import { get, send } from '../kit/api.ts';
import { count, countText } from '../kit/format.ts';
import { Problem, Progress } from '../kit/parts.tsx';
import type { ListedJob } from './types.ts';

type Operation = z.output<typeof operation>;
type Request = z.input<typeof operationRequest>;
type Deed = Pick<Request, 'action' | 'priority' | 'add' | 'remove'>;

/** Ids of jobs, or all that match the filters of the list. */
export type Selection = ReadonlySet<string> | 'all';
export const NOTHING: Selection = new Set();

export const isSelected = (selection: Selection, jobId: string) =>
  selection === 'all' || selection.has(jobId);

/** With one job more, or less. */
export function toggle(selection: Selection, jobId: string, shown: readonly ListedJob[]): Selection {
  const chosen = new Set(selection === 'all' ? shown.map((job) => job.jobId) : selection);
  if (!chosen.delete(jobId)) chosen.add(jobId);
  return chosen;
}

/** Time between two looks at an operation: milliseconds. */
const LOOK_MS = 400;

interface BarProps {
  readonly selection: Selection;
  readonly shown: readonly ListedJob[];
  /** There are more jobs than are shown. */
  readonly isMore: boolean;
  readonly filter: Readonly<Record<string, string>>;
  readonly choose: (selection: Selection) => void;
}

/** Stands above the list while jobs are chosen. */
export function SelectionBar({ selection, shown, isMore, filter, choose }: BarProps) {
  const { operation: last, problem, busy, act } = useOperation(selection, filter);
  const size = selection === 'all' ? undefined : selection.size;
  const isWholePage =
    selection !== 'all' && shown.length > 0 && shown.every(({ jobId }) => selection.has(jobId));
  if (size === 0 && last === undefined && problem === undefined) return null;
  return (
    <section class="selection" aria-label="Selected jobs">
      {size !== 0 && (
        <>
          <strong role="status">
            {size === undefined ? 'All jobs that match are selected' : `${countText(size, 'job')} selected`}
          </strong>
          {isWholePage && isMore && (
            <button type="button" onClick={() => choose('all')}>
              Select all that match
            </button>
          )}
          <Actions busy={busy} act={act} />
          <button type="button" onClick={() => choose(NOTHING)}>
            Clear
          </button>
        </>
      )}
      {last !== undefined && <Outcome of={last} />}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </section>
  );
}

function Actions({ busy, act }: { readonly busy: boolean; readonly act: (deed: Deed) => void }) {
  const [label, setLabel] = useState('');
  const simple = (text: string, action: 'resubmit' | 'retry' | 'cancel' | 'delete') => (
    <button type="button" disabled={busy} onClick={() => act({ action })}>
      {text}
    </button>
  );
  return (
    <>
      {simple('Retry failed work', 'retry')}
      {simple('Run again', 'resubmit')}
      {simple('Cancel', 'cancel')}
      {simple('Delete', 'delete')}
      <select
        aria-label="Priority of the selected jobs"
        disabled={busy}
        value=""
        onChange={({ currentTarget: { value } }) =>
          value !== '' && act({ action: 'priority', priority: Number(value) })
        }
      >
        <option value="">Priority …</option>
        {Array.from({ length: 10 }, (_, n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim() !== '') act({ action: 'label', add: [label.trim()] });
        }}
      >
        <input
          type="text"
          aria-label="Label for the selected jobs"
          placeholder="Label"
          size={12}
          value={label}
          onInput={({ currentTarget: { value } }) => setLabel(value)}
        />
        <button type="submit" disabled={busy}>
          Add label
        </button>
      </form>
    </>
  );
}

/** How far it is, then what became of it. */
function Outcome({
  of: { operationId, terminal, progress, matched, done, refusals, message },
}: {
  readonly of: Operation;
}) {
  return (
    <div role="status">
      {!terminal && <Progress percent={progress} label={operationId} />}
      <p>
        {count(done)} of {countText(matched, 'job')} done.
        {message !== null && ` It waits: ${message}`}
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
  `${countText(jobs, 'job')} refused: ${message} (${examples.join(', ')}${jobs > examples.length ? ', …' : ''})`;

const QUESTIONS: Readonly<Record<string, string>> = {
  retry: 'Run what failed in them again? All other results stay.',
  resubmit: 'Run them again from the start? What they found before is replaced.',
  cancel: 'Cancel them? What they have found until now is kept.',
  delete: 'Delete them with everything that they have made?',
  priority: 'Change their priority?',
  label: 'Add the label to them?',
};

/** An action on the chosen jobs: it is tried first, so that the question says how many jobs it is about. */
function useOperation(selection: Selection, filter: BarProps['filter']) {
  const [operation, setOperation] = useState<Operation>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = async (request: Request, onChange: (now: Operation) => void): Promise<Operation> => {
    let now = await send<Operation>('POST', 'rest/operations', request);
    for (;;) {
      onChange(now);
      if (now.terminal) return now;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      now = await get<Operation>(`rest/operations/${now.operationId}`);
    }
  };
  const act = async (deed: Deed) => {
    const jobs = selection === 'all' ? { filter } : { ids: [...selection] };
    setBusy(true);
    setProblem(undefined);
    setOperation(undefined);
    try {
      const planned = await run({ ...deed, ...jobs, dryRun: true }, () => undefined);
      const question = [
        `${countText(planned.done, 'job')}. ${QUESTIONS[deed.action]}`,
        ...planned.refusals.map(refusedSentence),
      ];
      if (planned.done > 0 && confirm(question.join('\n'))) await run({ ...deed, ...jobs }, setOperation);
      else if (planned.done === 0) setProblem(question.slice(1).join('\n') || 'No job matches.');
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return { operation, problem, busy, act: (deed: Deed) => void act(deed) };
}
