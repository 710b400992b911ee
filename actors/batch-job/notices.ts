import { pathToFileURL } from 'node:url';
import { pathOf } from '../../results/file-keys.ts';
import { detectionFile } from '../../results/layout.ts';
import { assertion, postUrl } from '../../domain/archive.ts';
import { callbackUrl } from '../../domain/callback.ts';
import type { Notice, Row } from '../../store/store.ts';
import { destinationOf, type HttpNotice } from '../delivery/notice.ts';
import { archivesWithToken, callbackWantsToken, configHashOf } from './archive.ts';
import type { FailedPost } from './commands.ts';
import type { JobSettings } from './context.ts';
import { foldersOf, type JobRecord } from './record.ts';
import type { Delivery, JobState } from './state.ts';
import { isTerminal } from './status.ts';

/** The notices that a job owes when it ends, with the rows that keep what is posted to the archive for a later repost. */
export interface Owed {
  readonly callback: Delivery | null;
  readonly archive: Delivery | null;
  readonly notices: readonly Notice[];
  readonly rows: readonly Row[];
}

/** Row of a post to the archive. */
export const ARCHIVE_ROWS = 'archive/';

const MAX_FAILURES = 20;
/** A delivery that begins. `open` has a bit for each notice that is owed, by its number (`numbers`): thousands of them make a short text. */
const started = (numbers: readonly number[], failures: readonly string[] = []): Delivery => ({
  pending: numbers.length,
  open: numbers.reduce((bits, n) => bits | (1n << BigInt(n)), 0n).toString(16),
  slow: '0',
  failures,
  attempts: 0,
  lastError: null,
  nextAttempt: null,
});

type Ended = Pick<
  JobState,
  | 'status'
  | 'run'
  | 'unnumbered'
  | 'endedAt'
  | 'objectId'
  | 'hasDocument'
  | 'outputUri'
  | 'pastOutput'
  | 'documentHash'
  | 'timing'
  | 'media'
>;

/** What is owed by a job that ends in this state at `at`. */
export function owedAtEnd(record: JobRecord, state: Ended, settings: JobSettings, at: number): Owed {
  const callback = callbackNotice(record, state, settings, at);
  const archive = archivePosts(record, state, settings, at);
  return {
    callback: callback === null ? null : started([0]),
    archive: archive.delivery,
    notices: [...(callback === null ? [] : [callback]), ...archive.notices],
    rows: archive.notices.map((notice, n) => ({
      key: `${ARCHIVE_ROWS}${String(n).padStart(6, '0')}`,
      body: notice,
    })),
  };
}

/** What is owed by a job that is ended because its actor fails: whoever waits for it hears of its end, the archive gets nothing. */
export function owedWhenPoisoned(
  record: JobRecord,
  ended: Pick<Ended, 'status' | 'run' | 'unnumbered' | 'hasDocument' | 'outputUri' | 'pastOutput'>,
  settings: Pick<JobSettings, 'dataDir'>,
  at: number,
): { readonly owed: Pick<JobState, 'callback' | 'archive'>; readonly notices: readonly Notice[] } {
  const archived = record.media.some(({ archiveUrl }) => archiveUrl !== undefined);
  const archive = archived ? started([], ['The job failed before its results could be posted.']) : null;
  try {
    const callback = callbackNotice(record, ended, settings, at);
    return {
      owed: { callback: callback === null ? null : started([0]), archive },
      notices: callback === null ? [] : [callback],
    };
  } catch (error) {
    // This may be what makes the job fail: it ends all the same.
    const reason = `The callback could not be made: ${error instanceof Error ? error.message : String(error)}`;
    return { owed: { callback: started([], [reason]), archive }, notices: [] };
  }
}

/** Ids of all notices of a run. */
export function noticeIds(record: JobRecord, run: number, kinds: readonly HttpNotice['kind'][]): string[] {
  return [
    ...(kinds.includes('callback') && record.callback !== undefined ? [callbackId(record, run)] : []),
    ...(kinds.includes('archive')
      ? record.media.flatMap(({ archiveUrl }, n) =>
          archiveUrl === undefined ? [] : [archiveId(record, run, n)],
        )
      : []),
  ];
}

/** Whom notices of the job go to. */
export function destinationsOf({ callback, media }: JobRecord): readonly string[] {
  const posts = media.flatMap(({ archiveUrl }) => (archiveUrl === undefined ? [] : [archiveUrl]));
  const urls = callback === undefined ? posts : [callback.url, ...posts];
  return [...new Set(urls.filter((url) => URL.canParse(url)).map(destinationOf))];
}

/** A notice that is still owed, and the delivery that it belongs to. */
export interface OpenNotice {
  readonly kind: HttpNotice['kind'];
  readonly delivery: Delivery;
  readonly n: number;
}

/** The notice of this id, when the job owes it: none of an earlier run, and none that has arrived or was given up. */
export function openNotice(
  record: JobRecord,
  { run, callback, archive }: Pick<JobState, 'run' | 'callback' | 'archive'>,
  id: string,
): OpenNotice | undefined {
  const isCallback = id === callbackId(record, run);
  const kind = isCallback ? 'callback' : 'archive';
  const delivery = isCallback ? callback : archive;
  const n = isCallback ? 0 : Number(id.slice(id.lastIndexOf('.') + 1));
  const known = isCallback || (n < record.media.length && id === archiveId(record, run, n));
  if (delivery === null || !known || ((bitsOf(delivery) >> BigInt(n)) & 1n) === 0n) return undefined;
  return { kind, delivery, n };
}

const bitsOf = ({ open }: Pick<Delivery, 'open'>) => BigInt(`0x${open}`);
const withBit = (bits: string, n: number) => (BigInt(`0x${bits}`) | (1n << BigInt(n))).toString(16);
const withoutBit = (bits: string, n: number) => (BigInt(`0x${bits}`) & ~(1n << BigInt(n))).toString(16);

const callbackId = ({ jobId }: JobRecord, run: number) => `${jobId}.${run}.callback`;
const archiveId = ({ jobId }: JobRecord, run: number, medium: number) => `${jobId}.${run}.archive.${medium}`;

/** URI of the job's document, in a bucket if it is in one, or of the earlier one that stands for it. */
export function outputUri(
  record: JobRecord,
  state: Pick<Ended, 'run' | 'unnumbered' | 'hasDocument' | 'outputUri' | 'pastOutput'>,
  dataDir: string,
): string | null {
  const { hasDocument, outputUri: stored, pastOutput } = state;
  if (hasDocument)
    return stored ?? pathToFileURL(pathOf(dataDir, detectionFile(foldersOf(record, state)))).href;
  return pastOutput;
}

/** Halves of characters, which JSON lets in, cannot stand in a URL: a job must not fail at its end for them. */
const wellFormed = (text: string | null) => (text === null ? null : Buffer.from(text).toString());

/** Tells how the job ended: the parameters of a GET are those of the specification. */
const STATUS_HEADER = 'Troupe-Job-Status';

/** Specification 6.1; with the status of the job besides. */
function callbackNotice(
  record: JobRecord,
  state: Pick<Ended, 'status' | 'run' | 'unnumbered' | 'hasDocument' | 'outputUri' | 'pastOutput'>,
  { dataDir }: Pick<JobSettings, 'dataDir'>,
  at: number,
): Notice | null {
  if (record.callback === undefined) return null;
  const { url, method } = record.callback;
  const { jobId } = record;
  const externalId = wellFormed(record.externalId);
  const outputObjectUri = wellFormed(outputUri(record, state, dataDir));
  const body: HttpNotice = {
    kind: 'callback',
    method,
    url: method === 'GET' ? callbackUrl(url, { jobId, externalId, outputObjectUri }) : url,
    body: method === 'GET' ? null : { jobId, externalId, outputObjectUri, jobStatus: state.status },
    headers: { [STATUS_HEADER]: state.status },
    addToken: callbackWantsToken(record),
    createdAt: at,
    attempts: 0,
  };
  return { id: callbackId(record, state.run), destination: destinationOf(url), due: at, body };
}

/** Specification 6.4: one post for each medium that has an archive; nothing at all when a medium could not be had. */
function archivePosts(
  record: JobRecord,
  state: Ended,
  settings: JobSettings,
  at: number,
): { delivery: Delivery | null; notices: Notice[] } {
  const wanted = record.media.some(({ archiveUrl }) => archiveUrl !== undefined);
  if (!wanted || state.pastOutput !== null) return { delivery: null, notices: [] };
  if (state.media.some(({ failedIn, prepared }) => failedIn === -1 && prepared === null))
    return { delivery: started([], ['Media download failed.']), notices: [] };
  const posts = postsOf(record, state, settings, at);
  const failures = posts.length === 0 ? ['The job ended before its media were inspected.'] : [];
  const numbers = posts.map(({ n }) => n);
  return { delivery: started(numbers, failures), notices: posts.map(({ notice }) => notice) };
}

function postsOf(
  record: JobRecord,
  state: Ended,
  settings: JobSettings,
  at: number,
): { readonly n: number; readonly notice: Notice }[] {
  const common = {
    jobConfigHash: configHashOf(record, state),
    withToken: archivesWithToken(record),
    outputUri: outputUri(record, state, settings.dataDir),
  };
  return record.media.flatMap((_, n) => {
    const notice = archivePost(record, state, n, common, settings, at);
    return notice === undefined ? [] : [{ n, notice }];
  });
}

function archivePost(
  record: JobRecord,
  state: Ended,
  n: number,
  common: {
    readonly jobConfigHash: string;
    readonly withToken: ReadonlySet<string>;
    readonly outputUri: string | null;
  },
  { system }: JobSettings,
  at: number,
): Notice | undefined {
  const { archiveUrl, metadata, properties } = record.media[n]!;
  const { prepared, found } = state.media.get(n)!;
  if (archiveUrl === undefined || prepared === null) return undefined;
  const id = archiveId(record, state.run, n);
  const body: HttpNotice = {
    kind: 'archive',
    method: 'POST',
    url: postUrl(archiveUrl, { sha256: prepared.facts.sha256, metadata, properties }),
    body: assertion({
      objectId: state.objectId,
      noticeId: id,
      pipeline: record.plan.name,
      found,
      jobId: record.jobId,
      outputUri: common.outputUri,
      outputHash: state.documentHash,
      processDate: new Date(state.endedAt ?? at).toISOString(),
      jobStatus: state.status,
      system,
      jobConfigHash: common.jobConfigHash,
      timing: timingOf(record, state.timing),
    }),
    addToken: common.withToken.has(archiveUrl),
    createdAt: at,
    attempts: 0,
  };
  return { id, destination: destinationOf(archiveUrl), due: at, body };
}

/** How long components worked on each action, in milliseconds by its name. */
function timingOf({ plan }: JobRecord, timing: readonly number[]): Readonly<Record<string, number>> {
  const spent: Record<string, number> = {};
  for (const [n, { name }] of plan.tasks.flatMap(({ actions }) => actions).entries())
    spent[name] = (spent[name] ?? 0) + (timing[n] ?? 0);
  return spent;
}

/** The notice has arrived. */
export function arrived({ delivery, n }: OpenNotice): Delivery {
  const pending = delivery.pending - 1;
  const [open, slow] = [withoutBit(delivery.open, n), withoutBit(delivery.slow, n)];
  return { ...delivery, pending, open, slow, nextAttempt: pending === 0 ? null : delivery.nextAttempt };
}

/** An attempt has failed; without `nextAttempt` it was the last. `isSlow`: the next ones are far apart. */
export function attemptFailed(
  notice: OpenNotice,
  reason: string,
  nextAttempt: number | null,
  isSlow: boolean,
): Delivery {
  const { delivery, n } = notice;
  const failed = { attempts: delivery.attempts + 1, lastError: reason };
  const slow = isSlow ? withBit(delivery.slow, n) : delivery.slow;
  if (nextAttempt !== null) return { ...delivery, ...failed, slow, nextAttempt };
  const failures = [...delivery.failures, reason].slice(0, MAX_FAILURES);
  return { ...arrived(notice), ...failed, failures };
}

/** All posts were made once more. One that failed and is still owed goes on being tried as before: only another is a failure now. */
export function reposted(
  record: JobRecord,
  state: Pick<JobState, 'run' | 'callback'> & { readonly archive: Delivery },
  ids: readonly string[],
  failed: readonly FailedPost[],
): Delivery {
  let archive = state.archive;
  for (const id of ids) {
    const notice = openNotice(record, { ...state, archive }, id);
    if (notice !== undefined) archive = arrived(notice);
  }
  const given = failed.filter(({ id }) => openNotice(record, { ...state, archive }, id) === undefined);
  return { ...archive, failures: given.map(({ reason }) => reason).slice(0, MAX_FAILURES) };
}

/**
 * Specification 3.4, in the values of SingleJobInfo. What is tried on after its quick attempts have failed is shown as failed, and as
 * COMPLETE when it has arrived after all. `trouble`: why its receiver takes nothing.
 */
export function deliveryStatus(
  wanted: boolean,
  status: JobState['status'],
  delivery: Delivery | null,
  trouble?: string,
): string {
  if (!wanted) return 'NOT REQUESTED';
  if (!isTerminal(status)) return 'JOB RUNNING';
  if (delivery === null) return 'IN PROGRESS';
  const { pending, slow, failures, lastError } = delivery;
  if (pending === 0) return failures.length > 0 ? errorOf(failures) : 'COMPLETE';
  if (slow !== '0' && lastError !== null) return errorOf([...failures, lastError]);
  return trouble === undefined ? 'IN PROGRESS' : errorOf([...failures, lastError ?? trouble]);
}

const errorOf = (reasons: readonly string[]) => `ERROR: ${reasons.join('\n\n')}`;
