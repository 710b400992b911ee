/** Time and versions of the components of a run, by action. */
import type { CpuTime } from '../../../domain/users/usage.ts';
import type { WorkDone } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { KINDS } from './stages.ts';
import type { JobState, SubJobRow } from '../state/state.ts';

/** Milliseconds that the component had the sub-job, and, if known, its CPU time and its version. */
export type AnsweredBy = Pick<WorkDone, 'ms' | 'cpuMs' | 'version'>;

/** Maximum number of versions that a run stores for each action. */
const MOST_VERSIONS = 10;

/** Adds the time that a component spent on a sub-job to its action, and records the component's version. */
export function withComponent(
  state: JobState,
  row: SubJobRow,
  by: AnsweredBy,
  { record }: DecisionContext,
): JobState {
  if (row.stage.name !== 'TASK' || KINDS[row.kind].isTimed !== true) return state;
  const before = record.plan.tasks.slice(0, row.stage.index);
  const at = before.reduce((sum, { actions }) => sum + actions.length, 0) + row.action;
  const actions = record.plan.tasks.flatMap((task) => task.actions);
  const timing = actions.map((_, n) => state.timing[n] ?? 0);
  const ms = Math.max(0, Math.round(by.ms));
  timing[at] = (timing[at] ?? 0) + ms;
  const timed = { ...state, timing, ...withCpu(state, actions.length, at, { ...by, ms }) };
  const known = state.versions[at] ?? [];
  const { version } = by;
  if (version === undefined || known.includes(version) || known.length === MOST_VERSIONS) return timed;
  const versions = actions.map((_, n) => (n === at ? [...known, version] : (state.versions[n] ?? [])));
  return { ...timed, versions };
}

/** Adds the CPU time to the action, rounded to a tenth of a millisecond, because many sub-jobs take less than one. */
function withCpu(
  state: JobState,
  actions: number,
  at: number,
  { ms, cpuMs }: AnsweredBy,
): Pick<JobState, 'cpu'> {
  if (cpuMs === undefined) return {};
  const cpu = Array.from({ length: actions }, (_, n): CpuTime => state.cpu?.[n] ?? [0, 0]);
  const [used = 0, measured = 0] = cpu[at] ?? [];
  cpu[at] = [Math.round((used + cpuMs) * 10) / 10, measured + ms];
  return { cpu };
}
