import { adviceFor } from '../batch-job/failures/failure-advice.ts';
import type { IndexEntry, Store } from '../../store/store.ts';
import {
  failureCounts,
  MAX_FAILURE_GROUPS,
  type FailureCount,
} from '../batch-job/failures/failure-groups.ts';
import { jobsOfFailure } from '../batch-job/state/indexes.ts';
import { readableJob, type StoredJob } from '../batch-job/state/stored-job.ts';

const EXAMPLES = 3;

/** Failures with the same component, code and kind of message. */
export interface FailureGroup {
  readonly id: string;
  /** Name of the algorithm, or WORKFLOW_MANAGER. */
  readonly component: string;
  readonly code: string;
  /** What the messages have in common. */
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
  /** Groups at most. */
  readonly limit: number;
  /** Only groups with a failure since then: milliseconds since the epoch. */
  readonly from: number | undefined;
  readonly component: string | undefined;
  readonly code: string | undefined;
}

/** Failures of jobs that are stored, by cause; the group with the newest failure first. The number of groups is bounded. */
export async function listFailures(store: Store, query: FailureQuery): Promise<readonly FailureGroup[]> {
  const { component, code, from = -Infinity, limit } = query;
  const counts = (await failureCounts(store)).filter(
    (group) =>
      (component === undefined || group.component === component) &&
      (code === undefined || group.code === code),
  );
  const standing = await Promise.all(counts.map((group) => standingOf(store, group)));
  const newest = standing
    .filter(({ last }) => last >= from)
    .toSorted((a, b) => b.last - a.last)
    .slice(0, Math.min(limit, MAX_FAILURE_GROUPS));
  const groups: FailureGroup[] = [];
  for (const one of newest) {
    const group = await withExamples(store, one);
    if (group !== undefined) groups.push(group);
    // To read large jobs takes a while: others have the event loop in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return groups;
}

/** A group as far as the indexes tell. */
interface Standing extends FailureCount {
  readonly jobs: number;
  readonly newest: readonly IndexEntry[];
  /** -Infinity: its last job was just removed. */
  readonly last: number;
}

async function standingOf(store: Store, count: FailureCount): Promise<Standing> {
  const index = jobsOfFailure(count.group);
  const [jobs, newest] = await Promise.all([
    store.count(index),
    store.list(index, { limit: EXAMPLES, descending: true }),
  ]);
  return { ...count, jobs, newest, last: newest[0]?.score ?? -Infinity };
}

/** Undefined: none of its jobs can be read. */
async function withExamples(store: Store, standing: Standing): Promise<FailureGroup | undefined> {
  const { group: id, newest, ...rest } = standing;
  const [oldest] = await store.list(jobsOfFailure(id), { limit: 1 });
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
