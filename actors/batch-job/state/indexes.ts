import { z } from 'zod';
import { placesOf, scopesOf, type Owner } from '../../../domain/users/owner.ts';
import { usageCounters } from '../../../domain/users/usage.ts';
import type { Commit } from '../../../store/store.ts';
import { failureCause } from '../failures/causes.ts';
import { failureCounters } from '../failures/failure-counters.ts';
import { externalIdOf, labelsOf, type JobRecord } from './record.ts';
import type { Delivery, JobState } from './state.ts';
import { BATCH_JOB_STATUSES, isTerminal } from './status.ts';

/** The indexes and counters of jobs, for lists, statistics, start-up and retention. */

/** Jobs that have not ended, by number. A server resumes them at its start. */
export const LIVE_JOBS = 'live-jobs';
/** Jobs that wait for admission, by priority and turn: all jobs, and those of one user. */
export const WAITING_JOBS = 'waiting-jobs';
export const waitingJobsOf = (user: string) => `waiting-jobs-of/${user}`;
/** Higher priority first, then lower turn. */
export const waitingScore = (priority: number, turn: number) => (9 - priority) * MOST_TURNS + turn;
/** Returns the turn of a score. It is not exact if the turn is no whole number. */
export const turnOf = (score: number) => score % MOST_TURNS;
const MOST_TURNS = 1e12;
/** All batch jobs by number. */
export const ALL_JOBS = 'batch-jobs';
/** Jobs that have ended, by the time of their end. */
export const ENDED_JOBS = 'ended-jobs';
/** All batch jobs by the time of their start. A job that waits for admission has the time of its submission. */
export const STARTED_JOBS = 'started-jobs';
/** Jobs that a client or retention has removed, and whose files may still exist. */
export const REMOVED_JOBS = 'removed-jobs';
/** Ended jobs whose spool is kept for a retry, by number. */
export const RETRYABLE_JOBS = 'retryable-jobs';
/** Ended jobs whose labels or external id were changed, by the time of the last change. The search index reads these changes. */
export const EDITED_JOBS = 'edited-jobs';
/** Jobs whose document the search has not indexed yet, by the time of their end. */
export const UNINDEXED_JOBS = 'unindexed-jobs';
/** States of the callback of an ended job. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
/** Returns undefined if the job has no callback, or has not ended. */
export function deliveryStateOf(callback: Delivery | null): DeliveryState | undefined {
  if (callback === null) return undefined;
  if (callback.pending > 0) return 'PENDING';
  return callback.failures.length > 0 ? 'FAILED' : 'DELIVERED';
}
/** Jobs whose callback is in this state, by the time of their end. */
export const deliveriesOf = (state: DeliveryState) => `deliveries/${state}`;
/** Jobs of a status, a pipeline, an external id or a label, by number; complete jobs of a pipeline by their duration in milliseconds. */
export const jobsOfStatus = (status: string) => `jobs-of-status/${status}`;
export const jobsOfPipeline = (pipeline: string) => `jobs-of-pipeline/${pipeline}`;
export const jobsOfExternalId = (externalId: string) => `jobs-of-external-id/${externalId}`;
export const jobsOfLabel = (label: string) => `jobs-of-label/${label}`;
/** Jobs with failures of a group, by the time of the last one. */
export const jobsOfFailure = (group: string) => `jobs-of-failure/${group}`;
export const durationsOf = (pipeline: string) => `job-ms/${pipeline}`;
/** The index of the jobs of one owner: its name begins with a scope of `scopesOf`. */
export const ofScope = (scope: string, name: string) => scope + name;
/** Counters: jobs by pipeline and status, and the total milliseconds of the complete jobs of a pipeline. */
export const JOB_COUNTERS = 'jobs/';
export const DURATION_COUNTERS = 'job-ms/';
/** Prefix of the counters of an owner. The counter of milliseconds has MS in place of a status. */
export const OWN_COUNTERS = '@';
export const MS = 'ms';

type Booked = Pick<
  JobState,
  | 'status'
  | 'priority'
  | 'startedAt'
  | 'endedAt'
  | 'removed'
  | 'unindexed'
  | 'timing'
  | 'earlierTiming'
  | 'cpu'
  | 'retryable'
  | 'causes'
  | 'waitingTurn'
  | 'callback'
  | 'labels'
  | 'externalId'
  | 'editedAt'
> & { readonly media?: JobState['media'] };

/** Returns the index entries and counters that change with the job. A state is undefined if there is no such job. */
export function indexesOf(
  record: JobRecord,
  before: Booked | undefined,
  after: Booked | undefined,
): Pick<Commit, 'index' | 'counters'> {
  const [was, is] = [indexOf(record, before), indexOf(record, after)];
  const index: Record<string, number | null> = {};
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
    if (was[name] !== is[name]) index[name] = is[name] ?? null;
  const counters: Record<string, number> = { ...usedBy(record, before, after) };
  const add = (booked: Booked | undefined, sign: 1 | -1) => {
    for (const [name, value] of Object.entries(countersOf(record, booked)))
      counters[name] = (counters[name] ?? 0) + sign * value;
  };
  add(after, 1);
  add(before, -1);
  const changed = Object.entries(counters).filter(([, by]) => by !== 0);
  return { index, counters: Object.fromEntries(changed) };
}

/** Returns the usage of a run when it ends. */
function usedBy({ owner, plan, media }: JobRecord, before: Booked | undefined, after: Booked | undefined) {
  if (before === undefined || isTerminal(before.status)) return {};
  if (after === undefined || !isTerminal(after.status)) return {};
  const actions = plan.tasks.flatMap((task) => task.actions);
  return usageCounters({
    owner,
    pipeline: plan.name,
    media: media.length,
    bytes: after.media?.reduce((sum, { prepared }) => sum + (prepared?.bytes ?? 0), 0) ?? 0,
    endedAt: after.endedAt ?? after.startedAt,
    algorithms: actions.map(({ algorithm }) => algorithm.name),
    timing: after.timing.map((ms, n) => ms - (after.earlierTiming?.[n] ?? 0)),
    cpu: after.cpu ?? [],
  });
}

/** The fields of a job that its counters need. */
const countedJob = z.object({
  record: z.object({
    plan: z.object({ name: z.string() }),
    owner: z.object({ user: z.string(), group: z.string().exactOptional() }).exactOptional(),
  }),
  state: z.object({
    status: z.enum(BATCH_JOB_STATUSES),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
    removed: z.boolean(),
    causes: z.array(failureCause).optional(),
  }),
});

/** Removes a job that cannot be read from the counters, as far as the readable fields show how it was counted. */
export function countersWithout(record: unknown, state: unknown): Commit['counters'] {
  const { data } = countedJob.safeParse({ record, state });
  if (data === undefined) return {};
  const counted = Object.entries(countersOf(data.record, data.state));
  return Object.fromEntries(counted.map(([name, value]) => [name, -value]));
}

/** Returns the scores of a job in its indexes. */
function indexOf(record: JobRecord, booked: Booked | undefined): Readonly<Record<string, number>> {
  if (booked === undefined) return {};
  const { number, plan, owner } = record;
  const externalId = externalIdOf(record, booked);
  const { status, priority, startedAt, endedAt, removed, unindexed, callback } = booked;
  const { retryable = false, causes = [], waitingTurn = number, editedAt } = booked;
  if (removed) return { [REMOVED_JOBS]: number };
  const waiting = waitingScore(priority, waitingTurn);
  const delivery = deliveryStateOf(callback);
  const owned = {
    [ALL_JOBS]: number,
    [STARTED_JOBS]: startedAt,
    ...(isTerminal(status) ? { [ENDED_JOBS]: endedAt ?? startedAt } : { [LIVE_JOBS]: number }),
    ...(status === 'COMPLETE' ? { [durationsOf(plan.name)]: durationOf(booked) } : {}),
    ...Object.fromEntries(causes.map(({ group, last }) => [jobsOfFailure(group), last])),
  };
  const scoped = scopesOf(owner).flatMap((scope) =>
    Object.entries(owned).map(([name, score]) => [ofScope(scope, name), score] as const),
  );
  return {
    ...owned,
    ...Object.fromEntries(scoped),
    [jobsOfStatus(status)]: number,
    [jobsOfPipeline(plan.name)]: number,
    ...(externalId === null ? {} : { [jobsOfExternalId(externalId)]: number }),
    ...Object.fromEntries(labelsOf(record, booked).map((label) => [jobsOfLabel(label), number])),
    ...(retryable ? { [RETRYABLE_JOBS]: number } : {}),
    ...(editedAt !== undefined && isTerminal(status) ? { [EDITED_JOBS]: editedAt } : {}),
    ...(unindexed ? { [UNINDEXED_JOBS]: endedAt ?? startedAt } : {}),
    ...(delivery === undefined ? {} : { [deliveriesOf(delivery)]: endedAt ?? startedAt }),
    ...(status === 'INITIALIZED'
      ? { [WAITING_JOBS]: waiting, [waitingJobsOf(owner?.user ?? '')]: waiting }
      : {}),
  };
}

function countersOf(
  { plan, owner }: { readonly plan: Pick<JobRecord['plan'], 'name'>; readonly owner?: Owner },
  booked: Pick<Booked, 'status' | 'startedAt' | 'endedAt' | 'removed' | 'causes'> | undefined,
): Readonly<Record<string, number>> {
  if (booked === undefined || booked.removed) return {};
  const { status, causes = [] } = booked;
  const own = placesOf(owner, OWN_COUNTERS);
  const counted = [JOB_COUNTERS, ...own].map((place) => [`${place}${plan.name}/${status}`, 1] as const);
  const counters = { ...Object.fromEntries(counted), ...failureCounters(owner, causes) };
  if (status !== 'COMPLETE') return counters;
  const ms = durationOf(booked);
  const spent = own.map((place) => [`${place}${plan.name}/${MS}`, ms] as const);
  return { ...counters, ...Object.fromEntries(spent), [`${DURATION_COUNTERS}${plan.name}`]: ms };
}

const durationOf = ({ startedAt, endedAt }: Pick<Booked, 'startedAt' | 'endedAt'>) =>
  Math.max(0, Math.round((endedAt ?? startedAt) - startedAt));
