/** Units of work, and what they count for in the progress of their stage. */
import type { List } from 'immutable';
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
  done: 0,
  failed: 0,
  derived: 0,
  empty: true,
  finish: 'NONE',
  finished: null,
});

/** Whether it is settled how many pieces a unit has. */
export const isKnown = (feed: Unit['feed']) => feed === 'NONE' || feed === 'DONE';

/** What a unit counts for among those of its stage: fixed before it is known in how many pieces a fed one comes. */
export const weightOf = ({ ranges }: Unit): number => Math.max(1, ranges.length);

export const NO_WEIGHT: JobState['weight'] = { total: 0, done: 0 };

export const weightOfAll = (units: List<Unit>): JobState['weight'] => ({
  total: units.reduce((sum, unit) => sum + weightOf(unit), 0),
  done: 0,
});

/** The state with a change in the unit that a row belongs to. */
export function withUnit(state: JobState, row: SubJobRow, change: (unit: Unit) => Unit): JobState {
  const unit = state.units.get(row.unit);
  // The inspection of a medium may be answered when the first task has begun.
  if (unit === undefined || row.stage.name !== state.stage.name) return state;
  const changed = change(unit);
  const { total, done } = state.weight;
  return {
    ...state,
    units: state.units.set(row.unit, changed),
    weight: { total, done: done + weightDone(changed) - weightDone(unit) },
  };
}

function weightDone(unit: Unit): number {
  const { feed, pieces, done, failed } = unit;
  if (!isKnown(feed)) return 0;
  return weightOf(unit) * (pieces === 0 ? 1 : (done + failed) / pieces);
}
