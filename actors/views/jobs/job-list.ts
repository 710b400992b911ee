import { scopesOf } from '../../../domain/users/owner.ts';
import { omit } from '../../../domain/omit.ts';
import type { IndexEntry, Store } from '../../../store/store.ts';
import { BATCH_JOB_STATUSES, isTerminal, type BatchJobStatus } from '../../batch-job/state/status.ts';
import {
  ALL_JOBS,
  ENDED_JOBS,
  jobsOfExternalId,
  jobsOfFailure,
  jobsOfLabel,
  jobsOfPipeline,
  jobsOfStatus,
  LIVE_JOBS,
  ofScope,
  STARTED_JOBS,
} from '../../batch-job/state/indexes.ts';
import { fitsJob, type JobCursor, type JobListQuery, type TimeSpan } from './job-filters.ts';
import type { DetailedJobInfo } from './job-info.ts';
import type { JobViews } from './jobs.ts';
import { readableJob, type StoredJob } from '../../batch-job/state/stored-job.ts';

export type { JobCursor, JobFilter, JobListQuery, TimeSpan } from './job-filters.ts';

/** A job in a list, with the number of its media and only the first ones. */
export interface ListedJob extends DetailedJobInfo {
  readonly mediaCount: number;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** The cursor of the next page. Null on the last page. */
  readonly next: JobCursor | null;
}

const LISTED_MEDIA = 20;
/** Number of jobs after which a page ends, however few of them match. */
const MAX_SCANNED = 1_000;
/** Number of media after which a page ends, because a stored job is as large as its request was. */
const MAX_MEDIA = 20_000;
/** Number of jobs after which the loop yields to the event loop. */
const TURN = 20;

/**
 * A page of jobs, newest first: by time if the filter has a time, otherwise by number. Its cost is limited. A page may be short, and even
 * empty, although more follow.
 */
export async function listJobs(store: Store, views: JobViews, query: JobListQuery): Promise<JobPage> {
  const { found, next } = await findJobs(store, query);
  const infos = await views.infos(found);
  const jobs = infos.map((info) => ({
    ...info,
    mediaUris: info.mediaUris.slice(0, LISTED_MEDIA),
    mediaCount: info.mediaUris.length,
  }));
  return { jobs, next };
}

/** Indexes that together contain every matching job. */
interface Indexes {
  readonly names: readonly string[];
  /** True if they contain no other jobs. */
  readonly exact: boolean;
  /** Absent if they are ordered by number. */
  readonly time?: TimeSpan;
}

const ANY_TIME: TimeSpan = { from: undefined, to: undefined };

interface Found {
  readonly found: readonly StoredJob[];
  readonly next: JobCursor | null;
}

/** The stored jobs of a page. */
export const findJobs = (store: Store, query: JobListQuery): Promise<Found> =>
  scan(store, query, indexesFor(query));

async function scan(store: Store, query: JobListQuery, indexes: Indexes): Promise<Found> {
  const wanted = indexes.exact ? query.limit + 1 : MAX_SCANNED;
  const { entries, more } = await entriesOf(store, query, indexes, wanted);
  const cursorAt = (n: number): JobCursor => ({
    score: indexes.time === undefined ? undefined : entries[n]!.score,
    number: Number(entries[n]!.id),
  });
  const found: StoredJob[] = [];
  let media = 0;
  for (const [n, { id }] of entries.entries()) {
    if (found.length === query.limit || media >= MAX_MEDIA) return { found, next: cursorAt(n - 1) };
    if (n % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    const job = await readableJob(store, Number(id));
    media += job?.record.media.length ?? 0;
    if (job !== undefined && fitsJob(job, query)) found.push(job);
  }
  return { found, next: more ? cursorAt(entries.length - 1) : null };
}

/** The first `limit` entries of the indexes together, and whether more follow. */
async function entriesOf(
  store: Store,
  { before }: JobListQuery,
  { names, time }: Indexes,
  wanted: number,
): Promise<{ readonly entries: readonly IndexEntry[]; readonly more: boolean }> {
  const after = startOf(before, time);
  const options = { limit: wanted, descending: true, ...(after === undefined ? {} : { after }) };
  const pages = await Promise.all(names.map((name) => store.list(name, options)));
  const merged = pages.length === 1 ? pages[0]! : eachOnce(pages.flat()).toSorted(newestFirst);
  const from = time?.from ?? -Infinity;
  const entries = merged.slice(0, wanted).filter(({ score }) => score >= from);
  return { entries, more: entries.length === wanted };
}

const newestFirst = (a: IndexEntry, b: IndexEntry) => b.score - a.score || (a.id < b.id ? 1 : -1);

/** A job of a user and of the user's group is in two indexes. */
const eachOnce = (entries: readonly IndexEntry[]): readonly IndexEntry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

/** The entry after which a page begins. */
function startOf(before: JobCursor | undefined, time: TimeSpan | undefined): IndexEntry | undefined {
  if (time === undefined) return before === undefined ? undefined : { score: before.number, id: '' };
  const end = time.to === undefined ? undefined : { score: time.to, id: '' };
  if (before?.score === undefined) return end;
  const cursor = { score: before.score, id: String(before.number) };
  return end === undefined || cursor.score < end.score ? cursor : end;
}

/** The indexes with the fewest unwanted jobs. */
function indexesFor(query: JobListQuery): Indexes {
  return query.sight === 'ALL' ? indexesOfAll(query) : indexesSeen(query, scopesOf(query.sight));
}

/** Owners have few jobs compared with all, so their indexes are used unless there is an external id. */
function indexesSeen(query: JobListQuery, scopes: readonly string[]): Indexes {
  const { statuses, pipelineName, externalId, labels, terminal, medium, failure, started, ended } = query;
  const of = (name: string) => scopes.map((scope) => ofScope(scope, name));
  const filters = [statuses, pipelineName, externalId, labels, medium, failure];
  const exact = filters.every((filter) => filter === undefined);
  const alone = exact && terminal === undefined;
  if (ended !== undefined)
    return { names: of(ENDED_JOBS), exact: alone && started === undefined, time: ended };
  if (started !== undefined) return { names: of(STARTED_JOBS), exact: alone, time: started };
  if (failure !== undefined) return { names: of(jobsOfFailure(failure)), exact: false, time: ANY_TIME };
  if (externalId !== undefined) return { names: [jobsOfExternalId(externalId)], exact: false };
  const isLive = terminal === false || (statuses !== undefined && !statuses.some(isTerminal));
  return isLive ? { names: of(LIVE_JOBS), exact } : { names: of(ALL_JOBS), exact: alone };
}

function indexesOfAll(query: JobListQuery): Indexes {
  const { pipelineName, externalId, labels, terminal, medium, failure, started, ended } = query;
  const given = Object.values(omit(query, 'limit', 'before', 'sight'));
  const alone = given.filter((filter) => filter !== undefined).length <= 1;
  if (ended !== undefined) return { names: [ENDED_JOBS], exact: alone, time: ended };
  if (started !== undefined) return { names: [STARTED_JOBS], exact: alone, time: started };
  if (failure !== undefined) return { names: [jobsOfFailure(failure)], exact: alone, time: ANY_TIME };
  if (externalId !== undefined) return { names: [jobsOfExternalId(externalId)], exact: alone };
  const [label] = labels ?? [];
  if (label !== undefined) return { names: [jobsOfLabel(label)], exact: alone && labels?.length === 1 };
  const wanted = statusesOf(query);
  // Many jobs have ended. Of those, a pipeline has fewer than a status.
  if (wanted !== undefined && !(pipelineName !== undefined && wanted.some(isTerminal)))
    return {
      names: wanted.map(jobsOfStatus),
      exact: pipelineName === undefined && medium === undefined,
    };
  if (terminal === false) return { names: [LIVE_JOBS], exact: alone };
  const name = pipelineName === undefined ? ALL_JOBS : jobsOfPipeline(pipelineName);
  return { names: [name], exact: alone && terminal === undefined && medium === undefined };
}

/** Statuses whose indexes are used. Only requested statuses count, because many jobs have ended. */
function statusesOf({ statuses, terminal }: JobListQuery): readonly BatchJobStatus[] | undefined {
  if (statuses === undefined) return undefined;
  return BATCH_JOB_STATUSES.filter(
    (status) => statuses.includes(status) && (terminal === undefined || isTerminal(status) === terminal),
  );
}
