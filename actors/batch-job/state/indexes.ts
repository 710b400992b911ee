import { z } from 'zod';
import type { Commit } from '../../../store/store.ts';
import { FAILURE_COUNTERS, failureCause, keyText } from '../failures/causes.ts';
import type { JobRecord } from './record.ts';
import type { JobState } from './state.ts';
import { BATCH_JOB_STATUSES, isTerminal } from './status.ts';

/** The indexes and counters in which a job stands: what lists, statistics, start-up and retention look at. */

/** Jobs that are not terminal, by number: what a start has to look at. */
export const LIVE_JOBS = 'live-jobs';
/** Jobs that wait for admission, by priority and number. */
export const WAITING_JOBS = 'waiting-jobs';
/** Higher priority first, then lower number. */
export const waitingScore = (priority: number, jobNumber: number) => (9 - priority) * 1e12 + jobNumber;
/** All batch jobs by number. */
export const ALL_JOBS = 'batch-jobs';
/** Jobs that have ended, by the time of their end. */
export const ENDED_JOBS = 'ended-jobs';
/** All batch jobs by the time of their start; one that waits for admission by that of its submission. */
export const STARTED_JOBS = 'started-jobs';
/** Jobs that a client or retention has removed and whose files may still be there. */
export const REMOVED_JOBS = 'removed-jobs';
/** Ended jobs whose spool is kept for a retry, by number. */
export const RETRYABLE_JOBS = 'retryable-jobs';
/** Jobs whose document the search does not have yet, by the time of their end. */
export const UNINDEXED_JOBS = 'unindexed-jobs';
/** Jobs of a status, a pipeline or an external id, by number; complete jobs of a pipeline by their duration in milliseconds. */
export const jobsOfStatus = (status: string) => `jobs-of-status/${status}`;
export const jobsOfPipeline = (pipeline: string) => `jobs-of-pipeline/${pipeline}`;
export const jobsOfExternalId = (externalId: string) => `jobs-of-external-id/${externalId}`;
/** Jobs with failures of a group, by the time of the last one. */
export const jobsOfFailure = (group: string) => `jobs-of-failure/${group}`;
export const durationsOf = (pipeline: string) => `job-ms/${pipeline}`;
/** Counters: jobs by pipeline and status, and the milliseconds that the complete ones of a pipeline took together. */
export const JOB_COUNTERS = 'jobs/';
export const DURATION_COUNTERS = 'job-ms/';

type Booked = Pick<
  JobState,
  'status' | 'priority' | 'startedAt' | 'endedAt' | 'removed' | 'unindexed' | 'retryable' | 'causes'
>;

/** Index entries and counters that change with the job; undefined: it is not there (yet, or any more). */
export function indexesOf(
  record: JobRecord,
  before: Booked | undefined,
  after: Booked | undefined,
): Pick<Commit, 'index' | 'counters'> {
  const [was, is] = [indexOf(record, before), indexOf(record, after)];
  const index: Record<string, number | null> = {};
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
    if (was[name] !== is[name]) index[name] = is[name] ?? null;
  const counters: Record<string, number> = {};
  const add = (booked: Booked | undefined, sign: 1 | -1) => {
    for (const [name, value] of Object.entries(countersOf(record, booked)))
      counters[name] = (counters[name] ?? 0) + sign * value;
  };
  add(after, 1);
  add(before, -1);
  const changed = Object.entries(counters).filter(([, by]) => by !== 0);
  return { index, counters: Object.fromEntries(changed) };
}

/** As little of a job as its counts need. */
const countedJob = z.object({
  record: z.object({ plan: z.object({ name: z.string() }) }),
  state: z.object({
    status: z.enum(BATCH_JOB_STATUSES),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
    removed: z.boolean(),
    causes: z.array(failureCause).optional(),
  }),
});

/** Takes a job that cannot be read out of the counters, as far as it shows what it was counted as. */
export function countersWithout(record: unknown, state: unknown): Commit['counters'] {
  const { data } = countedJob.safeParse({ record, state });
  if (data === undefined) return {};
  const counted = Object.entries(countersOf(data.record, data.state));
  return Object.fromEntries(counted.map(([name, value]) => [name, -value]));
}

/** Scores of a job in the indexes that it is in. */
function indexOf(
  { number, plan, externalId }: JobRecord,
  booked: Booked | undefined,
): Readonly<Record<string, number>> {
  if (booked === undefined) return {};
  const { status, priority, startedAt, endedAt, removed, unindexed } = booked;
  const { retryable = false, causes = [] } = booked;
  if (removed) return { [REMOVED_JOBS]: number };
  return {
    [ALL_JOBS]: number,
    [jobsOfStatus(status)]: number,
    [jobsOfPipeline(plan.name)]: number,
    [STARTED_JOBS]: startedAt,
    ...(externalId === null ? {} : { [jobsOfExternalId(externalId)]: number }),
    ...(isTerminal(status) ? { [ENDED_JOBS]: endedAt ?? startedAt } : { [LIVE_JOBS]: number }),
    ...(retryable ? { [RETRYABLE_JOBS]: number } : {}),
    ...(unindexed ? { [UNINDEXED_JOBS]: endedAt ?? startedAt } : {}),
    ...(status === 'INITIALIZED' ? { [WAITING_JOBS]: waitingScore(priority, number) } : {}),
    ...(status === 'COMPLETE' ? { [durationsOf(plan.name)]: durationOf(booked) } : {}),
    ...Object.fromEntries(causes.map(({ group, last }) => [jobsOfFailure(group), last])),
  };
}

function countersOf(
  { plan }: { readonly plan: Pick<JobRecord['plan'], 'name'> },
  booked: Omit<Booked, 'priority' | 'unindexed' | 'retryable'> | undefined,
): Readonly<Record<string, number>> {
  if (booked === undefined || booked.removed) return {};
  return {
    [`${JOB_COUNTERS}${plan.name}/${booked.status}`]: 1,
    ...(booked.status === 'COMPLETE' ? { [`${DURATION_COUNTERS}${plan.name}`]: durationOf(booked) } : {}),
    ...Object.fromEntries(
      (booked.causes ?? []).map((cause) => [`${FAILURE_COUNTERS}${keyText(cause)}`, cause.count]),
    ),
  };
}

const durationOf = ({ startedAt, endedAt }: Pick<Booked, 'startedAt' | 'endedAt'>) =>
  Math.max(0, Math.round((endedAt ?? startedAt) - startedAt));
