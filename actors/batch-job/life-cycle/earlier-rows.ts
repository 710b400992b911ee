/** Rows that a retry keeps from earlier runs. They are folded into the state when their stage begins. */
import { withInspected } from '../plan/plan-stages.ts';
import type { DecisionContext } from '../state/context.ts';
import { isOpen } from '../state/record.ts';
import type { JobState, SubJobRow } from '../state/state.ts';
import { after } from '../state/status.ts';
import { withUnit } from '../state/units.ts';
import { mediaWith, plannedUpTo, splitRows, withMade } from './fold.ts';
import { KINDS, rankOf } from './stages.ts';

/** Adds newly inspected media to the state, with the rows that a retry keeps of them. */
export const withPlanned = (state: JobState, context: Pick<DecisionContext, 'record'>): JobState =>
  withEarlierRows(withInspected(state, context), context);

/** Returns the state with the kept rows up to its stage, for media that have units. */
export function withEarlierRows(state: JobState, { record }: Pick<DecisionContext, 'record'>): JobState {
  if (state.laterRows.size === 0) return state;
  const now = rankOf(state.stage);
  const { reached, later } = splitRows(state.laterRows, now, plannedUpTo(state));
  if (reached.length === 0) return { ...state, laterRows: later };
  const media = state.media.withMutations((all) => {
    for (const row of reached) mediaWith(all, row);
  });
  const isWarned = reached.some(hasWarnings);
  const status = isWarned ? after(state.status, 'warning') : state.status;
  const own = reached.filter((row) => rankOf(row.stage) === now && isOpen(record, row.medium));
  return own.reduce(withRowOfUnit, { ...state, media, status, laterRows: later });
}

/** True if the document has a warning of this row. */
const hasWarnings = ({ prepared, summary, markup }: SubJobRow): boolean =>
  [prepared, summary, markup].some((answer) => (answer?.warnings.length ?? 0) > 0);

/** Applies an answered row to its unit. The row counts as created first. */
const withRowOfUnit = (state: JobState, row: SubJobRow): JobState =>
  withUnit(withMade(state, row), row, (unit) => KINDS[row.kind].unit(unit, row));
