/** Sub-jobs as items of the work ledger, and how a change of a job changes them. */
import type { WorkChange, WorkItem } from '../../../store/ledger.ts';
import type { JobEffect } from '../state/effects.ts';
import { BATCH_JOB } from '../state/keys.ts';
import type { Change } from '../../runtime/machine.ts';
import type { JobTypes } from '../state/change.ts';
import type { JobRecord } from '../state/record.ts';
import type { JobState, SubJobRow } from '../state/state.ts';
import { unitIndex, weightOf } from '../state/units.ts';

export function workItems(
  { number, plan, owner }: JobRecord,
  { units, weight, priority, inspecting }: JobState,
  rows: readonly SubJobRow[],
): readonly WorkItem[] {
  const shareOf = (row: SubJobRow): number => {
    // COPY is the only work of a job whose results come from an earlier job.
    if (row.kind === 'COPY') return 99;
    const unit = row.kind === 'DETECT' ? units.get(unitIndex(units, row)) : undefined;
    if (unit === undefined || inspecting !== null) return 0;
    return (100 * weightOf(unit)) / plan.tasks.length / Math.max(1, weight.total * unit.pieces);
  };
  return rows.map((row): WorkItem => {
    return {
      id: row.id,
      actor: { kind: BATCH_JOB, id: String(number) },
      key: row.key,
      queue: row.queue,
      kind: row.kind,
      priority,
      attempt: row.attempts + 1,
      share: shareOf(row),
      ...owner,
    };
  });
}

/** Returns the change of the ledger that belongs to a change of a job. One commit contains both. */
export function workChange(
  record: JobRecord,
  before: JobState | undefined,
  state: JobState,
  { effects = [], gone }: Change<JobTypes>,
): WorkChange {
  const rowsOf = (type: 'offer' | 'cancelWork') =>
    effects.flatMap((effect) => (effect.type === type ? effect.rows : []));
  const over = [...(before?.outstanding.values() ?? [])].filter((row) => isAnswered(row, state));
  const moved =
    before === undefined || before.priority === state.priority ? [] : [...before.outstanding.values()];
  return {
    offer: workItems(record, state, rowsOf('offer')),
    withdraw: workItems(record, state, rowsOf('cancelWork')),
    prioritize: workItems(record, state, moved),
    settle: over.map(({ id }) => id),
    clear: gone === true || state.stage.name === 'ENDED',
  };
}

/** True if the sub-job is complete, or waits for its next step or a later attempt at a transfer. */
function isAnswered({ key, queue, transfer }: SubJobRow, { outstanding }: JobState): boolean {
  const now = outstanding.get(key);
  return (
    now === undefined || now.queue !== queue || (now.transfer?.failures ?? 0) > (transfer?.failures ?? 0)
  );
}

/** True if the commit itself has already performed this effect. */
export const isInLedger = ({ type }: JobEffect): boolean => type === 'offer' || type === 'cancelWork';
