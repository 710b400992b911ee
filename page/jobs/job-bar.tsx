/** Actions on the jobs that are selected in a list. */
import type { Query } from '../kit/api.ts';
import { ExportMenu, offersOfJobs } from '../kit/exports.tsx';
import { countText } from '../kit/format.ts';
import { Problem } from '../kit/parts.tsx';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import type { Selection } from '../kit/selection/use-selection.ts';
import { LabelForm } from './label-form.tsx';
import { hasOutcome, OperationOutcome, useMatched, useOperation, type Deed } from './operation.tsx';
import { TEXT } from '../kit/text.ts';

interface BarProps {
  readonly of: Selection;
  /** Filter of the list, if more jobs match than are listed. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** Called when an action on the jobs has ended. */
  readonly onEnd?: () => void;
}

/** The bar over the list, shown while jobs are selected. */
export function JobBar({ of: selection, filter, onEnd }: BarProps) {
  const { choice } = selection;
  const operation = useOperation(() => {
    // After the action, the filter matches other jobs.
    if (choice === 'all') selection.clear();
    onEnd?.();
  });
  const matching = choice === 'all' ? (filter ?? {}) : undefined;
  const matched = useMatched(matching);
  const size = choice === 'all' ? matched.value : choice.size;
  const target = choice === 'all' ? { filter: matching } : { ids: [...choice] };
  return (
    <SelectionBar
      of={selection}
      label={TEXT.jobs.selectedJobs}
      text={
        size === undefined
          ? TEXT.jobs.countingTheJobsThatMatch
          : TEXT.kit.selected(countText(size, TEXT.jobs.job))
      }
      more={
        filter !== undefined &&
        choice !== 'all' && (
          <button type="button" class="plain" onClick={selection.selectMatching}>
            {TEXT.jobs.selectAllThatMatch}
          </button>
        )
      }
      outcome={
        matched.error === undefined ? (
          hasOutcome(operation.last) && <OperationOutcome of={operation.last} />
        ) : (
          <Problem again={matched.again}>{matched.error.message}</Problem>
        )
      }
      dismiss={operation.dismiss}
    >
      <ExportMenu path="rest/exports" query={exportQuery(choice, matching)} offers={offersOfJobs} isLeft />
      <Actions busy={operation.busy || size === undefined} act={(deed) => operation.act(deed, target)} />
    </SelectionBar>
  );
}

/** Returns the query of an export. Only ended jobs have results. */
const exportQuery = (choice: Selection['choice'], filter: BarProps['filter']): Query =>
  choice === 'all' ? (filter ?? {}) : { ids: [...choice].join(',') };

function Actions({ busy, act }: { readonly busy: boolean; readonly act: (deed: Deed) => void }) {
  const simple = (
    text: string,
    icon: 'retry' | 'again' | 'stop' | 'delete',
    action: 'resubmit' | 'retry' | 'cancel' | 'delete',
  ) => <BarButton icon={icon} text={text} isDisabled={busy} act={() => act({ action })} />;
  return (
    <>
      {simple(TEXT.jobs.retryFailedWork, 'retry', 'retry')}
      {simple(TEXT.jobs.runAgain, 'again', 'resubmit')}
      {simple(TEXT.jobs.cancel, 'stop', 'cancel')}
      {simple(TEXT.common.delete, 'delete', 'delete')}
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
      <LabelForm isBusy={busy} act={act} />
    </>
  );
}
