/** Jobs that are chosen in the list, and what can be done to all of them. */
import { useState } from 'preact/hooks';
import type { Query } from '../kit/api.ts';
import { ExportMenu, offersOfJobs } from '../kit/exports.tsx';
import { countText } from '../kit/format.ts';
import { Problem } from '../kit/parts.tsx';
import { NOTHING, type Selection } from './choice.ts';
import { Outcome, useMatched, useOperation, type Deed } from './operation.tsx';
import type { ListedJob } from './types.ts';
import { TEXT } from '../kit/text.ts';

interface BarProps {
  readonly selection: Selection;
  readonly shown: readonly ListedJob[];
  /** There are more jobs than are shown. */
  readonly isMore: boolean;
  readonly filter: Readonly<Record<string, string>>;
  readonly choose: (selection: Selection) => void;
  /** Told when something was done to the jobs. */
  readonly onEnd?: () => void;
}

/** Stands above the list while jobs are chosen. */
export function SelectionBar({ selection, shown, isMore, filter, choose, onEnd }: BarProps) {
  const { operation: last, problem, busy, act } = useOperation(onEnd);
  const matched = useMatched(selection === 'all' ? filter : undefined);
  const size = selection === 'all' ? matched.value : selection.size;
  const isWholePage =
    selection !== 'all' && shown.length > 0 && shown.every(({ jobId }) => selection.has(jobId));
  if (size === 0 && last === undefined && problem === undefined) return null;
  const target = selection === 'all' ? { filter } : { ids: [...selection] };
  return (
    <section class="selection" aria-label={TEXT.jobs.selectedJobs}>
      {size !== 0 && (
        <>
          <strong role="status">
            {size === undefined
              ? TEXT.jobs.countingTheJobsThatMatch
              : TEXT.jobs.countSelected(countText(size, TEXT.jobs.job))}
          </strong>
          {isWholePage && isMore && (
            <button type="button" onClick={() => choose('all')}>
              {TEXT.jobs.selectAllThatMatch}
            </button>
          )}
          <ExportMenu
            path="rest/exports"
            query={exportQuery(selection, filter)}
            offers={offersOfJobs}
            isLeft
          />
          <Actions busy={busy || size === undefined} act={(deed) => act(deed, target)} />
          <button type="button" onClick={() => choose(NOTHING)}>
            {TEXT.jobs.clear}
          </button>
        </>
      )}
      {matched.error !== undefined && <Problem again={matched.again}>{matched.error.message}</Problem>}
      {last !== undefined && <Outcome of={last} />}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </section>
  );
}

/** Only jobs that have ended have something to export. */
const exportQuery = (selection: Selection, filter: BarProps['filter']): Query =>
  selection === 'all' ? filter : { ids: [...selection].join(',') };

function Actions({ busy, act }: { readonly busy: boolean; readonly act: (deed: Deed) => void }) {
  const [label, setLabel] = useState('');
  const simple = (text: string, action: 'resubmit' | 'retry' | 'cancel' | 'delete') => (
    <button type="button" disabled={busy} onClick={() => act({ action })}>
      {text}
    </button>
  );
  return (
    <>
      {simple(TEXT.jobs.retryFailedWork, 'retry')}
      {simple(TEXT.jobs.runAgain, 'resubmit')}
      {simple(TEXT.jobs.cancel, 'cancel')}
      {simple(TEXT.common.delete, 'delete')}
      <select
        aria-label={TEXT.jobs.priorityOfTheSelectedJobs}
        disabled={busy}
        value=""
        onChange={({ currentTarget: { value } }) =>
          value !== '' && act({ action: 'priority', priority: Number(value) })
        }
      >
        <option value="">{TEXT.jobs.priorityOfAll}</option>
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
          aria-label={TEXT.jobs.labelForTheSelectedJobs}
          placeholder={TEXT.jobs.label}
          size={12}
          value={label}
          onInput={({ currentTarget: { value } }) => setLabel(value)}
        />
        <button type="submit" disabled={busy}>
          {TEXT.jobs.addLabel}
        </button>
      </form>
    </>
  );
}
