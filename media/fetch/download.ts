/** Downloads from web servers and buckets, only from allowed addresses and within size limits. */
import type { FileHandle } from 'node:fs/promises';
import type { FetchLimits } from '../../protocol/media-work.ts';
import type { BucketObject } from '../../domain/types.ts';
import type { AddressRule } from '../../egress/http/addresses.ts';
import { openBucket, type BucketTuning } from '../../egress/bucket.ts';
import { BucketError, isPassing as mayPassInBucket } from '../../egress/bucket-errors.ts';
import { follow, type GetRequest } from '../../egress/http/follow.ts';
import { HttpClient } from '../../egress/http/http-client.ts';
import { isBroken, NoAnswer } from '../../egress/http/no-answer.ts';
import { repeatedly } from '../../egress/http/retry.ts';
import { LocalFileError, storeAnswer, type FileToGet } from '../../egress/http/store-answer.ts';
import { firstLine } from '../first-line.ts';
import { MediumError } from '../medium-error.ts';
import { shownUri } from './file-uris.ts';

/** Timeout for a server that sends nothing, in milliseconds. */
const SILENCE_MS = 30_000;

export interface DownloadOptions extends BucketTuning {
  /** Token for the host of the URL. Not sent if the URL contains credentials. */
  readonly bearer?: string | undefined;
  readonly onBytes?: FileToGet['onBytes'];
}

/**
 * Downloads a URL into `file`. Connection errors and 5xx are retried three times, unless `attempts` sets another number. The time limit
 * covers all attempts together.
 * @throws REMOTE_STORAGE_DOWNLOAD, whose `mayPass` is set if a retry may help, or LOCAL_STORAGE.
 */
export async function download(
  uri: string,
  file: FileHandle,
  limits: FetchLimits,
  signal: AbortSignal,
  { attempts, backOffMs, bearer, onBytes }: DownloadOptions = {},
): Promise<void> {
  const client = new HttpClient(ruleOf(limits));
  try {
    await inTime(uri, limits.timeoutMs, signal, (either) => {
      const from = { uri, bearer, headMs: SILENCE_MS, silenceMs: SILENCE_MS, signal: either };
      const attempt = () => attemptOnce(client, from, { file, maxBytes: limits.maxBytes, onBytes });
      return repeatedly(attempt, { attempts, backOffMs, isPassing }, either);
    });
  } finally {
    await client.close();
  }
}

/** Downloads an object into `file`. `uri` is the medium's name in messages. Limits and errors are those of `download`. */
export async function downloadObject(
  uri: string,
  { bucket: access, ...object }: BucketObject,
  file: FileHandle,
  limits: FetchLimits,
  signal: AbortSignal,
  { onBytes, ...tuning }: DownloadOptions = {},
): Promise<void> {
  const bucket = openBucket(access, ruleOf(limits), tuning);
  const into = { file, maxBytes: limits.maxBytes, onBytes };
  try {
    await inTime(uri, limits.timeoutMs, signal, (either) => bucket.getFile(object, into, either));
  } finally {
    bucket.close();
  }
}

async function attemptOnce(client: HttpClient, from: GetRequest, into: FileToGet): Promise<void> {
  const { statusCode, headers, body } = await follow(client, from);
  if (statusCode === 200) return storeAnswer(body, Number(headers['content-length'] ?? 0), into);
  await body.dump();
  const mayPass = statusCode >= 500 || statusCode === 429;
  throw new NoAnswer(`the server answered with status ${statusCode}`, !mayPass);
}

/** True if a retry may help, after an error of the server or a broken connection. */
function isPassing(error: unknown): boolean {
  if (error instanceof BucketError) return mayPassInBucket(error);
  return error instanceof NoAnswer ? !error.final : isBroken(error);
}

async function inTime(
  uri: string,
  timeoutMs: number,
  signal: AbortSignal,
  fetch: (either: AbortSignal) => Promise<void>,
): Promise<void> {
  const timer = AbortSignal.timeout(timeoutMs);
  try {
    await fetch(AbortSignal.any([signal, timer]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LocalFileError)
      throw new MediumError('LOCAL_STORAGE', `The medium could not be stored: ${error.message}`, {
        cause: error,
      });
    const reason = timer.aborted ? `it took longer than ${timeoutMs / 1000} s` : firstLine(error);
    const failed = new MediumError(
      'REMOTE_STORAGE_DOWNLOAD',
      `Error retrieving media and saving it to temp file: ${shownUri(uri)}: ${reason}`,
      { cause: error },
    );
    if (!timer.aborted && isPassing(error)) failed.mayPass = true;
    throw failed;
  }
}

const ruleOf = ({ allowPrivate }: FetchLimits): AddressRule => ({
  allowPrivate,
  settings: 'the setting FETCH_PRIVATE',
});
