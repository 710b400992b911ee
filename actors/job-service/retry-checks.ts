/** The results that a retry continues from, and the reasons to refuse a retry. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Properties } from '../../domain/types.ts';
import { answerPlace } from '../../results/answer-place.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { spoolFolder } from '../../results/layout.ts';
import { allRows } from '../../store/store.ts';
import { mediaToRetry } from '../batch-job/life-cycle/retry-rows.ts';
import type { Retry } from '../batch-job/state/commands.ts';
import { BATCH_JOB, runPrefix } from '../batch-job/state/keys.ts';
import { baseRunOf, type RetryScope } from '../batch-job/state/record.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import type { JobServiceDeps } from './job-request.ts';
import { checkMedia } from './request-checks.ts';
import { refusedProperties } from './request-properties.ts';

export interface RetryRequest {
  readonly what: RetryScope;
  /** Override the properties of the job for everything that runs again. */
  readonly jobProperties?: Properties;
}

/** `live`: the job has not ended. `refused`: its properties are wrong. `nothing`: the job has nothing to retry. */
export interface NoRetry {
  readonly kind: 'unknown' | 'live' | 'nothing' | 'refused';
  readonly message: string;
}

type RetryFacts = Pick<Retry, 'ended' | 'rows' | 'usable' | 'lost'>;
type Deps = Pick<JobServiceDeps, 'store' | 'settings' | 'checkMedium'>;

/** Number of media that are checked at the same time. */
const LOOKS = 16;

export const unknownJob = (number: number): NoRetry => ({
  kind: 'unknown',
  message: `There is no job ${number}. Look for it with GET /rest/jobs.`,
});

export const liveJob = (jobId: string, status: string): NoRetry => ({
  kind: 'live',
  message: `Job ${jobId} has not ended (${status}). Retry it when it has ended, or cancel it first.`,
});

export const nothingFailed = (jobId: string): NoRetry => ({
  kind: 'nothing',
  message: `Nothing of job ${jobId} failed, so there is nothing to retry. Resubmit it to run everything again.`,
});

/** Reads the facts that the job's actor needs for its decision, before the job changes. */
export async function retryFacts(
  deps: Deps,
  job: StoredJob,
  { what, jobProperties = {} }: RetryRequest,
): Promise<RetryFacts | NoRetry> {
  const { record, snapshot } = job;
  const { jobId } = record;
  if (!isTerminal(snapshot.status)) return liveJob(jobId, snapshot.status);
  if (snapshot.retryable !== true) return whyNotKept(job);
  const properties = { ...record.jobProperties, ...jobProperties };
  const refused = await refusedProperties({ ...record, jobProperties: properties }, record.media);
  if (refused !== undefined) return { kind: 'refused', message: refused };
  const rows = await storedRows(deps, job);
  if (!(await areFilesThere(deps, job, rows))) {
    const message = `Results of job ${jobId} are missing in the spool of DATA_DIR, so it cannot be retried. Resubmit it to run everything again.`;
    return { kind: 'nothing', message };
  }
  const usable = await usableMedia(deps, job);
  const lost = what === 'FAILED_MEDIA' ? new Set<number>() : await lostMedia(deps, job, rows);
  return { ended: snapshot.run, rows, usable, lost };
}

function whyNotKept({ record: { jobId }, snapshot: { status } }: StoredJob): NoRetry {
  if (status === 'COMPLETE' || status === 'COMPLETE_WITH_WARNINGS') return nothingFailed(jobId);
  const reason = status === 'ERROR' ? 'left no results to continue from' : 'was cancelled';
  return {
    kind: 'nothing',
    message: `Job ${jobId} ${reason}, so it cannot be retried. Resubmit it to run everything again.`,
  };
}

async function storedRows({ store }: Deps, { record, snapshot }: StoredJob): Promise<readonly SubJobRow[]> {
  const rows: SubJobRow[] = [];
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  for await (const { body } of allRows(store, actor, runPrefix(baseRunOf(snapshot))))
    rows.push(body as SubJobRow);
  return rows;
}

/** True if all result files exist; the spool may have been cleared. */
async function areFilesThere(
  { settings: { dataDir } }: Deps,
  { record, snapshot }: StoredJob,
  rows: readonly SubJobRow[],
): Promise<boolean> {
  const folder = spoolFolder(record.jobId, baseRunOf(snapshot));
  const names = new Set(await readdir(pathOf(dataDir, folder)).catch(() => []));
  const isThere = (file: FileKey) => {
    const { path: key, bytes } = answerPlace(file);
    // An answer that is not read again has no file.
    return bytes === 0 || path.dirname(key) !== folder || names.has(path.basename(key));
  };
  return rows.every(({ state, file }) => state !== 'DONE' || file === undefined || isThere(file));
}

/** Media that could not be used when the job was accepted, but can be used now. */
async function usableMedia(deps: Deps, { record }: StoredJob): Promise<ReadonlySet<number>> {
  const places = [...record.media.keys()].filter((n) => record.media[n]!.problem !== undefined);
  const problems = await checkMedia(
    places.map((n) => record.media[n]!.uri),
    deps,
  );
  return new Set(places.filter((_, i) => problems[i] === undefined));
}

/** Media to be retried whose files are missing or changed. Fetched files were deleted when the run ended. */
async function lostMedia(
  { settings: { dataDir } }: Deps,
  { record, snapshot }: StoredJob,
  rows: readonly SubJobRow[],
): Promise<ReadonlySet<number>> {
  const wanted = mediaToRetry(record, snapshot, rows);
  const prepared = rows.filter(({ kind, medium }) => kind === 'PREPARE' && wanted.has(medium));
  const lost = new Set<number>();
  for (let at = 0; at < prepared.length; at += LOOKS)
    await Promise.all(
      prepared.slice(at, at + LOOKS).map(async (row) => {
        if (!(await isStillThere(dataDir, row))) lost.add(row.medium);
      }),
    );
  return lost;
}

async function isStillThere(dataDir: string, { prepared }: SubJobRow): Promise<boolean> {
  if (prepared === undefined) return true;
  const { path: key, bytes, modified } = prepared;
  const found = await stat(pathOf(dataDir, key)).catch(() => undefined);
  if (found === undefined || (bytes !== undefined && bytes !== found.size)) return false;
  return !path.isAbsolute(key) || modified === undefined || modified === Math.floor(found.mtimeMs);
}
