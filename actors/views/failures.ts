import { scopesOf, type Sight } from '../../domain/users/owner.ts';
import { adviceFor } from '../batch-job/failures/failure-advice.ts';
import type { IndexEntry, Store } from '../../store/store.ts';
import { OWN_FAILURES, ownFailureCounts, type FailureCount } from '../batch-job/failures/failure-counters.ts';
import { failureCounts, MAX_FAILURE_GROUPS } from '../batch-job/failures/failure-groups.ts';
import { jobsOfFailure, ofScope } from '../batch-job/state/indexes.ts';
import { readableJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import { seenCounters } from './seen-counters.ts';

const EXAMPLES = 3;

/** Failures with the same component, code and message pattern. */
export interface FailureGroup {
  readonly id: string;
  /** Name of the algorithm, or WORKFLOW_MANAGER. */
  readonly component: string;
  readonly code: string;
  /** The common part of the messages. */
  readonly pattern: string;
  /** The message of the newest job in full. */
  readonly message: string;
  /** Failed sub-jobs. */
  readonly count: number;
  readonly jobs: number;
  /** Milliseconds since the epoch. */
  readonly first: number;
  readonly last: number;
  /** Ids of jobs, the newest first. */
  readonly examples: readonly string[];
  readonly advice: string;
}

export interface FailureQuery {
  /** Maximum number of groups. */
  readonly limit: number;
  /** Only groups with a failure since then, in milliseconds since the epoch. */
  readonly from: number | undefined;
  readonly component: string | undefined;
  readonly code: string | undefined;
  /** The users whose jobs the reader sees. */
  readonly sight: Sight;
}

/** Failures of stored jobs, grouped by cause; the group with the newest failure first. The number of groups is limited. */
export async function listFailures(store: Store, query: FailureQuery): Promise<readonly FailureGroup[]> {
  const { component, code, from = -Infinity, limit, sight } = query;
  const all = await (sight === 'ALL' ? failureCounts(store) : countSeen(store, sight));
  const counts = all.filter(
    (group) =>
      (component === undefined || group.component === component) &&
      (code === undefined || group.code === code),
  );
  const standing = await Promise.all(counts.map((group) => standingOf(store, sight, group)));
  const newest = standing
    .filter(({ last }) => last >= from)
    .toSorted((a, b) => b.last - a.last)
    .slice(0, Math.min(limit, MAX_FAILURE_GROUPS));
  const groups: FailureGroup[] = [];
  for (const one of newest) {
    const group = await withExamples(store, sight, one);
    if (group !== undefined) groups.push(group);
    // Reading large jobs takes a while, so the loop yields to the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return groups;
}

/** The groups of the jobs that the reader sees, with the number of these jobs. */
async function countSeen(store: Store, sight: Exclude<Sight, 'ALL'>) {
  const sums = new Map<string, number>();
  for (const { name, value } of await seenCounters(store, OWN_FAILURES, sight))
    sums.set(name, (sums.get(name) ?? 0) + value);
  return ownFailureCounts(sums);
}

/** A group with the data of the indexes. */
interface Standing extends FailureCount {
  readonly jobs: number;
  readonly newest: readonly IndexEntry[];
  /** -Infinity: the last job of the group was just removed. */
  readonly last: number;
}

async function standingOf(
  store: Store,
  sight: Sight,
  count: FailureCount & { readonly jobs?: number },
): Promise<Standing> {
  const newest = await endOf(store, sight, count.group, true);
  const jobs = count.jobs ?? (await store.count(jobsOfFailure(count.group)));
  return { ...count, jobs, newest, last: newest[0]?.score ?? -Infinity };
}

/** The newest or the oldest jobs of a group. A job of a user and of the user's group may be in the result twice. */
async function endOf(
  store: Store,
  sight: Sight,
  group: string,
  descending: boolean,
): Promise<readonly IndexEntry[]> {
  const scopes = sight === 'ALL' ? [''] : scopesOf(sight);
  const options = { limit: EXAMPLES, descending };
  const pages = await Promise.all(
    scopes.map((scope) => store.list(ofScope(scope, jobsOfFailure(group)), options)),
  );
  return pages.flat().toSorted((a, b) => (descending ? b.score - a.score : a.score - b.score));
}

/** Returns undefined if none of its jobs can be read. */
async function withExamples(
  store: Store,
  sight: Sight,
  standing: Standing,
): Promise<FailureGroup | undefined> {
  const { group: id, newest, ...rest } = standing;
  const [oldest] = await endOf(store, sight, id, false);
  const entries = oldest === undefined ? newest : [...newest, oldest];
  const stored = await Promise.all(entries.map((entry) => readableJob(store, Number(entry.id))));
  const found = stored.filter((job) => job !== undefined && causeOf(job, id) !== undefined);
  const [example] = found;
  if (example === undefined) return undefined;
  const ids = found.flatMap((job) => (job === undefined ? [] : [job.record.jobId]));
  return {
    ...{ id, ...rest },
    message: causeOf(example, id)!.message,
    first: Math.min(...found.map((job) => causeOf(job, id)!.first)),
    examples: [...new Set(ids)].slice(0, EXAMPLES),
    advice: adviceFor(standing.code),
  };
}

const causeOf = (job: StoredJob | undefined, group: string) =>
  job?.snapshot.causes?.find((cause) => cause.group === group);
