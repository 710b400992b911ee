/** Creates sub-jobs for the units of a stage in their order, as far as the window allows. */
import type { DecisionContext } from '../state/context.ts';
import { foldKnownAnswer } from './fold.ts';
import { FINISH } from '../kinds/finish.ts';
import type { Kind } from '../kinds/kind.ts';
import { PREPARE } from '../kinds/prepare.ts';
import { firstUsable } from '../state/media.ts';
import { followsOn, KINDS, kindOf } from './stages.ts';
import type { JobState, SubJobRow, Unit } from '../state/state.ts';
import { lacksFinish, singleUnit, unitIndex, withUnit } from '../state/units.ts';

export interface Made {
  readonly state: JobState;
  readonly rows: readonly SubJobRow[];
}

/** The next work: new pieces, or, when the job stops, the finishing of existing results. */
export const makeWork = (state: JobState, context: DecisionContext): Made =>
  isStopping(state) ? finishFound(state, context) : fill(state, context);

export const isStopping = (state: Pick<JobState, 'status'>) => state.status === 'CANCELLING';

/** While work is wanted: the next pieces in order of media, up to the window. */
function fill(state: JobState, context: DecisionContext): Made {
  const inspected = fillInspection(state, context);
  const room = context.settings.window - state.outstanding.size + inspectionsIn(state);
  const rows: SubJobRow[] = [];
  let current = inspected.state;
  for (let at = state.cursor; rows.length < room && at < current.units.size; at++) {
    // A unit that waits to hear what it is fed is passed over, and looked at again.
    while (rows.length < room && hasNext(current.units.get(at)!)) {
      const made = withRow(current, at, kindOf(current, current.units.get(at)!, context), context);
      rows.push(made.row);
      current = made.state;
    }
    const unit = current.units.get(at)!;
    if (at === current.cursor && unit.feed !== 'MADE' && !hasNext(unit))
      current = { ...current, cursor: at + 1 };
  }
  return { state: current, rows: [...inspected.rows, ...rows] };
}

/** The next media for inspection while the first task runs: it has a window of its own, for another component does it. */
function fillInspection(state: JobState, context: DecisionContext): Made {
  const { record, settings } = context;
  const rows: SubJobRow[] = [];
  let current = state;
  let room = settings.window - inspectionsIn(state);
  for (; room > 0 && current.inspecting !== null && current.inspecting.next < record.media.length; room--) {
    const { next } = current.inspecting;
    const row = PREPARE.row({ ...current, stage: { name: 'PREPARE' } }, next, singleUnit(next, 0), context);
    rows.push(row);
    const inspecting = { ...current.inspecting, next: firstUsable(record, next + 1, current.media) };
    current = { ...withNew(current, row), inspecting };
  }
  return { state: current, rows };
}

/** Media that are being inspected beside the first task. */
function inspectionsIn({ inspecting, outstanding }: JobState): number {
  if (inspecting === null) return 0;
  let count = 0;
  for (const { kind } of outstanding.values()) if (kind === 'PREPARE') count++;
  return count;
}

const hasNext = (unit: Unit) =>
  unit.feed === 'WANTED' || (unit.feed !== 'MADE' && unit.made < unit.pieces) || lacksFinish(unit);

interface WithRow {
  readonly state: JobState;
  readonly row: SubJobRow;
}

/** A new sub-job of a unit; it is answered already where the server knows the answer. */
function withRow(state: JobState, index: number, kind: Kind, context: DecisionContext): WithRow {
  const unit = state.units.get(index)!;
  const row = kind.row(state, index, unit, context);
  const made = withNew(state, row);
  const answer = kind.knownAnswer?.(row, unit);
  if (answer === undefined) return { state: made, row };
  return foldKnownAnswer(made, { ...row, state: 'DONE' }, answer, context);
}

/** The row that follows an answered one in its unit: FINISH after the last piece, then ARTIFACTS. */
export function workAfter(state: JobState, row: SubJobRow, context: DecisionContext): WithRow | undefined {
  const kind = followsOn(state, row, context);
  return kind === undefined ? undefined : withRow(state, unitIndex(state.units, row), kind, context);
}

/** When the job is to stop: no new pieces; what was found already is still finished. */
function finishFound(state: JobState, context: DecisionContext): Made {
  if (state.stage.name === 'DOCUMENT' || state.stage.name === 'UPLOAD') return fill(state, context);
  if (state.stage.name !== 'TASK' || state.outstanding.size > 0) return { state, rows: [] };
  if (context.record.plan.tasks[state.stage.index]?.actionType === 'MARKUP') return { state, rows: [] };
  const rows: SubJobRow[] = [];
  let current = state;
  for (const [index, { done, finish }] of state.units.entries()) {
    if (done === 0 || finish !== 'NONE') continue;
    const made = withRow(current, index, FINISH, context);
    rows.push(made.row);
    current = made.state;
  }
  return { state: current, rows };
}

/** The state with a new sub-job, which is to be answered. */
function withNew(state: JobState, row: SubJobRow): JobState {
  const outstanding = new Map(state.outstanding).set(row.key, row);
  return withUnit({ ...state, outstanding }, row, (unit) => KINDS[row.kind].unit(unit, row));
}
