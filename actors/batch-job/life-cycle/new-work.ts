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

/** Creates the next work: new pieces or, in a job that is being cancelled, the finishing of existing results. */
export const makeWork = (state: JobState, context: DecisionContext): Made =>
  isStopping(state) ? finishFound(state, context) : fill(state, context);

export const isStopping = (state: Pick<JobState, 'status'>) => state.status === 'CANCELLING';

/** Creates the next pieces in the order of media, up to the window. */
function fill(state: JobState, context: DecisionContext): Made {
  const inspected = fillInspection(state, context);
  const room = context.settings.window - state.outstanding.size + inspectionsIn(state);
  const rows: SubJobRow[] = [];
  let current = inspected.state;
  for (let at = state.cursor; rows.length < room && at < current.units.size; at++) {
    // A unit whose FEED is not answered yet is skipped, and checked again later.
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

/** Creates inspections of the next media while the first task runs. They have their own window, because another component does them. */
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

/** Returns the number of media that are being inspected while the first task runs. */
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

/** Creates a sub-job of a unit. It is complete at once if the server knows the answer. */
function withRow(state: JobState, index: number, kind: Kind, context: DecisionContext): WithRow {
  const unit = state.units.get(index)!;
  const row = kind.row(state, index, unit, context);
  const made = withNew(state, row);
  const answer = kind.knownAnswer?.(row, unit);
  if (answer === undefined) return { state: made, row };
  return foldKnownAnswer(made, { ...row, state: 'DONE' }, answer, context);
}

/** Creates the row that follows an answered one in its unit: FINISH after the last piece, then ARTIFACTS. */
export function workAfter(state: JobState, row: SubJobRow, context: DecisionContext): WithRow | undefined {
  const kind = followsOn(state, row, context);
  return kind === undefined ? undefined : withRow(state, unitIndex(state.units, row), kind, context);
}

/** Creates no new pieces in a job that is being cancelled, but finishes existing results. */
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

/** Returns the state with a new outstanding sub-job. */
function withNew(state: JobState, row: SubJobRow): JobState {
  const outstanding = new Map(state.outstanding).set(row.key, row);
  return withUnit({ ...state, outstanding }, row, (unit) => KINDS[row.kind].unit(unit, row));
}
