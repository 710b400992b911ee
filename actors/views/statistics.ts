import type { Store } from '../../store/store.ts';
import { DURATION_COUNTERS, durationsOf, JOB_COUNTERS } from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';

/** Specification 2.2, AggregatePipelineStatsModel. Times are milliseconds, of COMPLETE jobs. */
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

/** From counters and the two ends of an index by duration: it costs by the number of pipelines, however many jobs there are. */
export async function jobStatistics(store: Store, clock: Pick<Clock, 'steady'>): Promise<JobStatistics> {
  const started = clock.steady();
  const states = new Map<string, Record<string, number>>();
  for (const [name, jobs] of await store.counters(JOB_COUNTERS)) {
    const cut = name.lastIndexOf('/');
    const pipeline = name.slice(JOB_COUNTERS.length, cut);
    states.set(pipeline, { ...states.get(pipeline), [name.slice(cut + 1)]: jobs });
  }
  const durations = await store.counters(DURATION_COUNTERS);
  const pipelines: [string, PipelineStatistics][] = [];
  for (const [pipeline, jobs] of states)
    pipelines.push([
      pipeline,
      await statisticsOf(store, pipeline, jobs, durations.get(DURATION_COUNTERS + pipeline) ?? 0),
    ]);
  return {
    elapsedTimeMs: Math.round(clock.steady() - started),
    aggregatePipelineStatsMap: Object.fromEntries(pipelines),
    jobTypes: pipelines.length,
    totalJobs: pipelines.reduce((sum, [, { count }]) => sum + count, 0),
  };
}

async function statisticsOf(
  store: Store,
  pipeline: string,
  states: Readonly<Record<string, number>>,
  totalTime: number,
): Promise<PipelineStatistics> {
  const validCount = states['COMPLETE'] ?? 0;
  const end = async (descending: boolean) =>
    validCount === 0
      ? 0
      : ((await store.list(durationsOf(pipeline), { limit: 1, descending }))[0]?.score ?? 0);
  return {
    count: Object.values(states).reduce((sum, jobs) => sum + jobs, 0),
    maxTime: await end(true),
    minTime: await end(false),
    totalTime,
    states,
    validCount,
  };
}
