/** Units of work, and their weight in the progress of their stage. */
import type { List } from 'immutable';
import { firstIndex } from '../../../domain/first-index.ts';
import type { Range } from '../../../domain/types.ts';
import type { JobState, SubJobRow, Unit } from './state.ts';

export const WHOLE: Range = { start: 0, stop: -1 };

export const unitOf = (medium: number, action: number, ranges: readonly Range[]): Unit => ({
  medium,
  action,
  feed: 'NONE',
  fed: null,
  ranges,
  pieces: ranges.length,
  made: 0,
  gaps: [],
  done: 0,
  failed: 0,
  derived: 0,
  empty: true,
  finish: 'NONE',
  finished: null,
});

/** Returns the only unit of work of a medium or of the job. It needs no finishing. */
export const singleUnit = (medium: number, action: number): Unit => ({
  ...unitOf(medium, action, [WHOLE]),
  finish: 'UNUSED',
});

/** Returns the number of the piece to create next. */
export const nextPiece = ({ gaps, made }: Unit): number => gaps[0] ?? made;

/** Marks a piece as created. In a retry, pieces that are skipped before it must be created again. */
export function withPiece(unit: Unit, piece: number): Unit {
  const { gaps, made } = unit;
  const next = made + gaps.length;
  const left = Array.from({ length: Math.max(0, piece - next) }, (_, n) => next + n);
  return { ...unit, made: made + 1, gaps: [...gaps.filter((gap) => gap !== piece), ...left] };
}

/** True if all pieces are answered but FINISH is missing, because a retry has removed its result. */
export const lacksFinish = ({ feed, finish, pieces, done, failed }: Unit): boolean =>
  finish === 'NONE' && isKnown(feed) && done > 0 && done + failed === pieces;

/** True if more work of a unit must be created, now or later. */
export const isUnfinished = (unit: Unit): boolean =>
  !isKnown(unit.feed) || unit.made < unit.pieces || lacksFinish(unit);

/** Returns the index of a row's unit in its stage, whose units are in the order of media and actions. Returns -1 if there is none. */
export function unitIndex(
  units: List<Unit>,
  { unit: hint, medium, action }: Pick<SubJobRow, 'unit' | 'medium' | 'action'>,
): number {
  const isOf = (at: number) => {
    const unit = at < 0 ? undefined : units.get(at);
    return unit?.medium === medium && unit.action === action;
  };
  if (isOf(hint)) return hint;
  const at = firstIndex(units.size, (n) => {
    const unit = units.get(n)!;
    return unit.medium > medium || (unit.medium === medium && unit.action >= action);
  });
  return isOf(at) ? at : -1;
}

/** True if the number of pieces of a unit is known. */
export const isKnown = (feed: Unit['feed']) => feed === 'NONE' || feed === 'DONE';

/** Returns the weight of a unit in its stage. It does not change when the number of pieces of a fed unit becomes known. */
export const weightOf = ({ ranges }: Unit): number => Math.max(1, ranges.length);

export const NO_WEIGHT: JobState['weight'] = { total: 0, done: 0 };

export const weightOfAll = (units: List<Unit>): JobState['weight'] => ({
  total: units.reduce((sum, unit) => sum + weightOf(unit), 0),
  done: 0,
});

/** Returns the state with a change in the unit of a row. */
export function withUnit(state: JobState, row: SubJobRow, change: (unit: Unit) => Unit): JobState {
  const index = unitIndex(state.units, row);
  const unit = index < 0 ? undefined : state.units.get(index);
  // The answer to an inspection may arrive after the first task has begun.
  if (unit === undefined || row.stage.name !== state.stage.name) return state;
  const changed = change(unit);
  const { total, done } = state.weight;
  return {
    ...state,
    units: state.units.set(index, changed),
    weight: { total, done: done + weightDone(changed) - weightDone(unit) },
  };
}

function weightDone(unit: Unit): number {
  const { feed, pieces, done, failed } = unit;
  if (!isKnown(feed)) return 0;
  return weightOf(unit) * (pieces === 0 ? 1 : (done + failed) / pieces);
}
