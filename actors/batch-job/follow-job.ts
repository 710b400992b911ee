/**
 * How a server follows a job while other servers accept answers. It folds the new rows into its state. The result is the same as a
 * restore from all rows, but costs only the difference.
 */
import type { List } from 'immutable';
import { byStage, withAnswered, withMade } from './life-cycle/fold.ts';
import { withPlanned } from './life-cycle/earlier-rows.ts';
import { firstUsable } from './state/media.ts';
import type { JobRecord } from './state/record.ts';
import type { JobSnapshot } from './state/snapshot.ts';
import { rankOf } from './life-cycle/stages.ts';
import type { JobState, SubJobRow, Unit } from './state/state.ts';
import { isTerminal } from './state/status.ts';
import { isUnfinished } from './state/units.ts';

/** Returns the state after these rows. Returns undefined if the changed rows are not enough, so all rows must be read. */
export function followRows(
  record: JobRecord,
  state: JobState,
  { progress: _, ...small }: JobSnapshot,
  rows: readonly SubJobRow[],
): JobState | undefined {
  if (!isInSamePlace(state, small)) return undefined;
  const now = rankOf(small.stage);
  const inOrder = rows.toSorted(byKey);
  const stages = byStage(inOrder);
  const outstanding = new Map(state.outstanding);
  const inspecting = inspectingAfter(record, state, inOrder);
  let next: JobState = { ...state, ...small, inspecting };
  for (const [stage, ofStage] of stages) if (stage < now) next = withRows(next, ofStage, outstanding);
  // Rows of the first task may belong to units of media that were inspected in the meantime.
  next = withPlanned(next, { record });
  for (const [stage, ofStage] of stages) if (stage === now) next = withRows(next, ofStage, outstanding);
  return { ...next, outstanding, cursor: cursorFrom(next.cursor, next.units) };
}

/** True if the job is in the same stage of the same run. There, rows and snapshot contain all changes. */
const isInSamePlace = (state: JobState, { run, stage, status }: Pick<JobState, 'run' | 'stage' | 'status'>) =>
  state.run === run &&
  rankOf(state.stage) === rankOf(stage) &&
  !isTerminal(status) &&
  (state.status === 'CANCELLING') === (status === 'CANCELLING');

/** Returns the state after these rows, and updates `outstanding`. */
function withRows(
  state: JobState,
  rows: readonly SubJobRow[],
  outstanding: Map<string, SubJobRow>,
): JobState {
  let next = state;
  for (const row of rows) {
    // An outstanding row may be a later attempt. All other rows are new, and may have answers already.
    if (!outstanding.has(row.key)) next = withMade(next, row);
    if (row.state === 'QUEUED') outstanding.set(row.key, row);
    else {
      outstanding.delete(row.key);
      next = withAnswered(next, row);
    }
  }
  return next;
}

/** Returns the progress of inspection while the first task runs. `next` is the next medium to inspect. */
function inspectingAfter(
  record: JobRecord,
  { inspecting, media }: JobState,
  inOrder: readonly SubJobRow[],
): JobState['inspecting'] {
  if (inspecting === null) return null;
  const last = inOrder.findLast(({ kind }) => kind === 'PREPARE')?.medium ?? -1;
  return { ...inspecting, next: Math.max(inspecting.next, firstUsable(record, last + 1, media)) };
}

function cursorFrom(cursor: number, units: List<Unit>): number {
  let at = cursor;
  while (at < units.size && !isUnfinished(units.get(at)!)) at++;
  return at;
}

const byKey = (a: SubJobRow, b: SubJobRow) => (a.key < b.key ? -1 : 1);
