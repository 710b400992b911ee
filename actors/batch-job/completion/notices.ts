import { pathToFileURL } from 'node:url';
import { pathOf } from '../../../results/file-keys.ts';
import { detectionFile } from '../../../results/layout.ts';
import { assertion, postUrl } from '../../../domain/job/archive.ts';
import { callbackUrl } from '../../../domain/job/callback.ts';
import type { Notice, Row } from '../../../store/store.ts';
import { destinationOf, type HttpNotice } from '../../delivery/notice.ts';
import { archivesWithToken, callbackWantsToken, configHashOf } from './archive.ts';
import type { JobSettings } from '../state/context.ts';
import { startDelivery } from './deliveries.ts';
import { archiveId, callbackId } from './notice-ids.ts';
import { externalIdOf, foldersOf, type JobRecord } from '../state/record.ts';
import type { Delivery, JobState } from '../state/state.ts';

/** The notices of a job that ends, with rows that store the posts to the archive for a later repost. */
export interface PlannedDeliveries {
  readonly callback: Delivery | null;
  readonly archive: Delivery | null;
  readonly notices: readonly Notice[];
  readonly rows: readonly Row[];
}

/** Prefix of the rows of posts to the archive. */
export const ARCHIVE_ROWS = 'archive/';

type Ended = Pick<
  JobState,
  | 'status'
  | 'run'
  | 'endedAt'
  | 'trace'
  | 'objectId'
  | 'hasDocument'
  | 'outputUri'
  | 'pastOutput'
  | 'documentHash'
  | 'timing'
  | 'media'
  | 'externalId'
>;

/** The deliveries of a job that ends in this state at `at`. */
export function planDeliveries(
  record: JobRecord,
  state: Ended,
  settings: JobSettings,
  at: number,
): PlannedDeliveries {
  const callback = callbackNotice(record, state, settings, at);
  const archive = archivePosts(record, state, settings, at);
  return {
    callback: callback === null ? null : startDelivery([0]),
    archive: archive.delivery,
    notices: [...(callback === null ? [] : [callback]), ...archive.notices],
    rows: archive.notices.map((notice, n) => ({
      key: `${ARCHIVE_ROWS}${String(n).padStart(6, '0')}`,
      body: notice,
    })),
  };
}

/** The deliveries of a job whose actor failed: its callback reports the end, and the archive gets nothing. */
export function planFailureDeliveries(
  record: JobRecord,
  ended: Pick<Ended, 'status' | 'run' | 'trace' | 'hasDocument' | 'outputUri' | 'pastOutput' | 'externalId'>,
  settings: Pick<JobSettings, 'dataDir' | 'linkBase'>,
  at: number,
): { readonly deliveries: Pick<JobState, 'callback' | 'archive'>; readonly notices: readonly Notice[] } {
  const archived = record.media.some(({ archiveUrl }) => archiveUrl !== undefined);
  const archive = archived ? startDelivery([], ['The job failed before its results could be posted.']) : null;
  try {
    const callback = callbackNotice(record, ended, settings, at);
    return {
      deliveries: { callback: callback === null ? null : startDelivery([0]), archive },
      notices: callback === null ? [] : [callback],
    };
  } catch (error) {
    // The callback may be the reason of the failure. The job still ends.
    const reason = `The callback could not be made: ${error instanceof Error ? error.message : String(error)}`;
    return { deliveries: { callback: startDelivery([], [reason]), archive }, notices: [] };
  }
}

/** Returns the URI of the job's document, in its bucket if it has one, or of the earlier document that replaces it. */
export function outputUri(
  record: JobRecord,
  state: Pick<Ended, 'run' | 'hasDocument' | 'outputUri' | 'pastOutput'>,
  dataDir: string,
): string | null {
  const { hasDocument, outputUri: stored, pastOutput } = state;
  if (hasDocument)
    return stored ?? pathToFileURL(pathOf(dataDir, detectionFile(foldersOf(record, state)))).href;
  return pastOutput;
}

/** Returns the link for a callback. A file of this server has an address there if `linkBase` is set; all else has its URI. */
function resultLink(
  record: JobRecord,
  state: Parameters<typeof outputUri>[1],
  { dataDir, linkBase }: Pick<JobSettings, 'dataDir' | 'linkBase'>,
): string | null {
  const uri = outputUri(record, state, dataDir);
  if (linkBase === undefined || !/^file:/i.test(uri ?? '')) return uri;
  return `${linkBase}/rest/jobs/${encodeURIComponent(record.jobId)}/output/detection`;
}

/** JSON may contain unpaired surrogates, but a URL may not. Replaces them, so that the job does not fail at its end. */
const wellFormed = (text: string | null) => (text === null ? null : Buffer.from(text).toString());

/** Header with the final status of the job. The parameters of a GET are fixed by the specification. */
const STATUS_HEADER = 'Troupe-Job-Status';

/** The body of a callback (specification 6.1), with the status of the job. */
export function callbackNotice(
  record: JobRecord,
  state: Pick<Ended, 'status' | 'run' | 'trace' | 'hasDocument' | 'outputUri' | 'pastOutput' | 'externalId'>,
  settings: Pick<JobSettings, 'dataDir' | 'linkBase'>,
  at: number,
): Notice | null {
  if (record.callback === undefined) return null;
  const { url, method, secrets } = record.callback;
  const { jobId } = record;
  const externalId = wellFormed(externalIdOf(record, state));
  const outputObjectUri = wellFormed(resultLink(record, state, settings));
  const body: HttpNotice = {
    kind: 'callback',
    method,
    url: method === 'GET' ? callbackUrl(url, { jobId, externalId, outputObjectUri }) : url,
    body: method === 'GET' ? null : { jobId, externalId, outputObjectUri, jobStatus: state.status },
    headers: { [STATUS_HEADER]: state.status },
    addToken: callbackWantsToken(record),
    ...(secrets === undefined ? {} : { secrets }),
    ...(state.trace === null ? {} : { trace: state.trace }),
    createdAt: at,
    attempts: 0,
  };
  return { id: callbackId(record, state.run), destination: destinationOf(url), due: at, body };
}

/** Specification 6.4: plans one post for each medium with an archive, or none if a medium could not be retrieved. */
function archivePosts(
  record: JobRecord,
  state: Ended,
  settings: JobSettings,
  at: number,
): { delivery: Delivery | null; notices: Notice[] } {
  const wanted = record.media.some(({ archiveUrl }) => archiveUrl !== undefined);
  if (!wanted || state.pastOutput !== null) return { delivery: null, notices: [] };
  if (state.media.some(({ failedIn, prepared }) => failedIn === -1 && prepared === null))
    return { delivery: startDelivery([], ['Media download failed.']), notices: [] };
  const posts = postsOf(record, state, settings, at);
  const failures = posts.length === 0 ? ['The job ended before its media were inspected.'] : [];
  const numbers = posts.map(({ n }) => n);
  return { delivery: startDelivery(numbers, failures), notices: posts.map(({ notice }) => notice) };
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
    ...(state.trace === null ? {} : { trace: state.trace }),
    createdAt: at,
    attempts: 0,
  };
  return { id, destination: destinationOf(archiveUrl), due: at, body };
}

/** Returns the time that components worked on each action, in milliseconds by its name. */
function timingOf({ plan }: JobRecord, timing: readonly number[]): Readonly<Record<string, number>> {
  const spent: Record<string, number> = {};
  for (const [n, { name }] of plan.tasks.flatMap(({ actions }) => actions).entries())
    spent[name] = (spent[name] ?? 0) + (timing[n] ?? 0);
  return spent;
}
