import type { IndexEntry, Store } from '../../store/store.ts';
import { ALL_JOBS, jobsOfPipeline, jobsOfStatus, LIVE_JOBS } from '../batch-job/indexes.ts';
import { isTerminal, type BatchJobStatus } from '../batch-job/status.ts';
import type { DetailedJobInfo, JobViews } from './jobs.ts';
import { readableJob, type StoredJob } from './stored-job.ts';

export interface JobListQuery {
  /** Jobs of a page at most. */
  readonly limit: number;
  /** Only jobs with lower numbers: the cursor. */
  readonly before: number | undefined;
  readonly status: BatchJobStatus | undefined;
  readonly pipelineName: string | undefined;
  readonly externalId: string | undefined;
  readonly terminal: boolean | undefined;
}

/** A job in a list: of many media only the first, and how many there are. */
export interface ListedJob extends DetailedJobInfo {
  readonly mediaCount: number;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** The cursor of the next page; null when there is none. */
  readonly next: number | null;
}

const LISTED_MEDIA = 20;
/** A page ends when so many jobs were looked at, however few of them fit. */
const MAX_SCANNED = 1_000;
/** And when their requests had so many media in all: a stored job is as large as its request was. */
const MAX_MEDIA = 20_000;
/** Jobs looked at before others have the event loop. */
const TURN = 20;

/** A page of jobs, newest first by number. Its cost is bounded; a page may be short, and even empty, while more follow. */
export async function listJobs(store: Store, views: JobViews, query: JobListQuery): Promise<JobPage> {
  if (contradicts(query)) return { jobs: [], next: null };
  const { found, next } = await scan(store, query);
  const infos = await views.infos(found);
  const jobs = infos.map((info) => ({
    ...info,
    mediaUris: info.mediaUris.slice(0, LISTED_MEDIA),
    mediaCount: info.mediaUris.length,
  }));
  return { jobs, next };
}

const contradicts = ({ status, terminal }: JobListQuery) =>
  status !== undefined && terminal !== undefined && isTerminal(status) !== terminal;

async function scan(
  store: Store,
  query: JobListQuery,
): Promise<{ readonly found: readonly StoredJob[]; readonly next: number | null }> {
  const index = indexFor(query);
  const wanted = index.exact ? query.limit + 1 : MAX_SCANNED;
  const after: Partial<{ after: IndexEntry }> =
    query.before === undefined ? {} : { after: { score: query.before, id: '' } };
  const entries = await store.list(index.name, { limit: wanted, descending: true, ...after });
  const found: StoredJob[] = [];
  let media = 0;
  for (const [n, { id }] of entries.entries()) {
    if (found.length === query.limit || media >= MAX_MEDIA)
      return { found, next: Number(entries[n - 1]!.id) };
    if (n % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    const job = await readableJob(store, Number(id));
    media += job?.record.media.length ?? 0;
    if (job !== undefined && fits(job, query)) found.push(job);
  }
  return { found, next: entries.length < wanted ? null : Number(entries.at(-1)!.id) };
}

/** The index with the fewest jobs that are not wanted; `exact`: it has none of them. */
function indexFor({ status, pipelineName, externalId, terminal }: JobListQuery): {
  readonly name: string;
  readonly exact: boolean;
} {
  const ofPipeline = pipelineName !== undefined;
  // There is no index of them: jobs are looked through for one.
  const anyExternal = externalId === undefined;
  // Jobs that have ended are many: of those, a pipeline has fewer than a status.
  if (status !== undefined && !(ofPipeline && isTerminal(status)))
    return { name: jobsOfStatus(status), exact: !ofPipeline && anyExternal };
  if (terminal === false) return { name: LIVE_JOBS, exact: !ofPipeline && anyExternal };
  const name = ofPipeline ? jobsOfPipeline(pipelineName) : ALL_JOBS;
  return { name, exact: status === undefined && terminal === undefined && anyExternal };
}

/** The index may be a moment older or newer than the job. */
function fits({ record, snapshot }: StoredJob, query: JobListQuery): boolean {
  const { status, pipelineName, externalId, terminal } = query;
  return (
    (externalId === undefined || record.externalId === externalId) &&
    (status === undefined || snapshot.status === status) &&
    (pipelineName === undefined || record.plan.name === pipelineName) &&
    (terminal === undefined || isTerminal(snapshot.status) === terminal)
  );
}
