/** What a run records of its components: their time and their versions, by action. */
import type { WorkDone } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { KINDS } from './stages.ts';
import type { JobState, SubJobRow } from '../state/state.ts';

/** Who has answered: milliseconds that the component had the sub-job, and its version as far as it is known. */
export type AnsweredBy = Pick<WorkDone, 'ms' | 'version'>;

/** Versions of one component that a run remembers. */
const MOST_VERSIONS = 10;

/** The time that a component spent on a sub-job counts for its action, and its version is kept. */
export function withComponent(
  state: JobState,
  row: SubJobRow,
  { ms, version }: AnsweredBy,
  { record }: DecisionContext,
): JobState {
  if (row.stage.name !== 'TASK' || KINDS[row.kind].isTimed !== true) return state;
  const before = record.plan.tasks.slice(0, row.stage.index);
  const at = before.reduce((sum, { actions }) => sum + actions.length, 0) + row.action;
  const actions = record.plan.tasks.flatMap((task) => task.actions);
  const timing = actions.map((_, n) => state.timing[n] ?? 0);
  timing[at] = (timing[at] ?? 0) + Math.max(0, Math.round(ms));
  const known = state.versions[at] ?? [];
  if (version === undefined || known.includes(version) || known.length === MOST_VERSIONS)
    return { ...state, timing };
  const versions = actions.map((_, n) => (n === at ? [...known, version] : (state.versions[n] ?? [])));
  return { ...state, timing, versions };
}
