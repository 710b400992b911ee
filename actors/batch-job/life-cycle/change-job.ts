/** Changes that users make to a job at any time: labels, its external id, and the priority of the remaining work. */
import { changeLabels, MAX_LABELS } from '../../../domain/labels.ts';
import { refuseWith, WRONG_STATE, type Change, type Refused } from '../../runtime/machine.ts';
import type { JobTypes } from '../state/change.ts';
import type { JobEdit, JobRefusal } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { externalIdOf, labelsOf } from '../state/record.ts';
import type { JobState } from '../state/state.ts';
import { isTerminal } from '../state/status.ts';

/** Changes a job for a user. Stores nothing if there is no difference. */
export function changeJob(
  state: JobState,
  edit: JobEdit,
  { record, settings, at }: Pick<DecisionContext, 'record' | 'settings' | 'at'>,
): Change<JobTypes> | Refused<JobRefusal> {
  const now = { labels: labelsOf(record, state), externalId: externalIdOf(record, state) };
  const { priority = state.priority, externalId = now.externalId } = edit;
  const labels = labelsAfter(now.labels, edit.labels);
  if (labels.length > MAX_LABELS)
    return refuseWith(
      'TOO_MANY_LABELS',
      `The job would have ${labels.length} labels. At most ${MAX_LABELS} are allowed: remove some first.`,
    );
  if (priority !== state.priority && isTerminal(state.status)) return WRONG_STATE;
  const isNamedSame = externalId === now.externalId && isSameList(labels, now.labels);
  if (isNamedSame && priority === state.priority) return {};
  const changed = { ...state, priority, labels, externalId };
  const isFound = isTerminal(state.status) && state.hasDocument;
  if (!isFound || isNamedSame) return { state: changed, synced: true };
  // The search returns the external id, and the library groups media by label. Servers that share a store find the change by `editedAt`.
  if (!settings.search) {
    const editedAt = Math.max(at, (state.editedAt ?? 0) + 1);
    return { state: { ...changed, editedAt }, synced: true };
  }
  return { state: { ...changed, unindexed: true }, synced: true, effects: [{ type: 'index' }] };
}

/** Keeps the changes of users in later runs. */
export const editsOf = ({
  labels,
  externalId,
}: Pick<JobState, 'labels' | 'externalId'>): Pick<JobState, 'labels' | 'externalId'> => ({
  ...(labels === undefined ? {} : { labels }),
  ...(externalId === undefined ? {} : { externalId }),
});

function labelsAfter(now: readonly string[], wanted: JobEdit['labels']): readonly string[] {
  if (wanted === undefined) return now;
  return 'add' in wanted ? changeLabels(now, wanted) : [...new Set(wanted)];
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((label, n) => label === other[n]);
