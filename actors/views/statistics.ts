import { scopesOf, type Owner, type Sight } from '../../domain/users/owner.ts';
import type { Store } from '../../store/store.ts';
import {
  DURATION_COUNTERS,
  durationsOf,
  JOB_COUNTERS,
  MS,
  ofScope,
  OWN_COUNTERS,
} from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';
import { seenCounters } from './seen-counters.ts';

/** Specification 2.2, AggregatePipelineStatsModel. Times are in milliseconds, for COMPLETE jobs. */
export interface PipelineStatistics {
  readonly count: number;
  readonly maxTime: number;
  readonly minTime: number;
  readonly totalTime: number;
  readonly states: Readonly<Record<string, number>>;
  readonly validCount: number;
}

/** Specification 2.2, AllJobsStatisticsModel. */
export interface JobStatistics {
  readonly elapsedTimeMs: number;
  readonly aggregatePipelineStatsMap: Readonly<Record<string, PipelineStatistics>>;
  readonly jobTypes: number;
  readonly totalJobs: number;
}

/** Jobs of a pipeline by status, and the total milliseconds of the complete ones. */
interface Counted {
  readonly states: Readonly<Record<string, number>>;
  readonly ms: number;
}

/**
 * Reads counters and both ends of the indexes by duration. Its cost grows with the pipelines and the groups of a user, not with the jobs.
 */
export async function jobStatistics(
  store: Store,
  clock: Pick<Clock, 'steady'>,
  sight: Sight,
): Promise<JobStatistics> {
  const started = clock.steady();
  const counted = sight === 'ALL' ? await countAll(store) : await countSeen(store, sight);
  const pipelines: [string, PipelineStatistics][] = [];
  for (const [pipeline, jobs] of counted)
    pipelines.push([pipeline, await statisticsOf(store, pipeline, jobs, sight)]);
  return {
    elapsedTimeMs: Math.round(clock.steady() - started),
    aggregatePipelineStatsMap: Object.fromEntries(pipelines),
    jobTypes: pipelines.length,
    totalJobs: pipelines.reduce((sum, [, { count }]) => sum + count, 0),
  };
}

async function countAll(store: Store): Promise<ReadonlyMap<string, Counted>> {
  const counted = new Map<string, Counted>();
  for (const [name, jobs] of await store.counters(JOB_COUNTERS))
    add(counted, name.slice(JOB_COUNTERS.length), jobs);
  const durations = await store.counters(DURATION_COUNTERS);
  for (const [pipeline, { states }] of counted)
    counted.set(pipeline, { states, ms: durations.get(DURATION_COUNTERS + pipeline) ?? 0 });
  return counted;
}

async function countSeen(store: Store, sight: Partial<Owner>): Promise<ReadonlyMap<string, Counted>> {
  const counted = new Map<string, Counted>();
  for (const { name, value } of await seenCounters(store, OWN_COUNTERS, sight)) add(counted, name, value);
  return counted;
}

/** @param name pipeline and status, or `ms` */
function add(counted: Map<string, Counted>, name: string, value: number): void {
  const cut = name.lastIndexOf('/');
  const [pipeline, status] = [name.slice(0, cut), name.slice(cut + 1)];
  const { states, ms } = counted.get(pipeline) ?? { states: {}, ms: 0 };
  counted.set(
    pipeline,
    status === MS
      ? { states, ms: ms + value }
      : { states: { ...states, [status]: (states[status] ?? 0) + value }, ms },
  );
}

async function statisticsOf(
  store: Store,
  pipeline: string,
  { states, ms }: Counted,
  sight: Sight,
): Promise<PipelineStatistics> {
  const validCount = states['COMPLETE'] ?? 0;
  const scopes = sight === 'ALL' ? [''] : scopesOf(sight);
  const ends = async (descending: boolean) => {
    const firsts = scopes.map((scope) =>
      store.list(ofScope(scope, durationsOf(pipeline)), { limit: 1, descending }),
    );
    return (await Promise.all(firsts)).flat().map(({ score }) => score);
  };
  return {
    count: Object.values(states).reduce((sum, jobs) => sum + jobs, 0),
    maxTime: validCount === 0 ? 0 : Math.max(0, ...(await ends(true))),
    minTime: validCount === 0 ? 0 : Math.min(...(await ends(false))),
    totalTime: ms,
    states,
    validCount,
  };
}
