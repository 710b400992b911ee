/** Downloads that cannot be talked into reaching where they must not, nor into filling the disk. */
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { FetchLimits } from '../../protocol/media-work.ts';
import { ForbiddenAddress, guardedLookup, type AddressRule } from '../../egress/addresses.ts';
import { shownUri } from './file-uris.ts';
import { firstLine } from '../first-line.ts';
import { guardedGet, type GetRequest } from './http-get.ts';
import { MediumError } from '../medium-error.ts';

const RETRIES = 3;
/** A server that is silent for so long (milliseconds) has hung. */
const SILENCE_MS = 30_000;

export interface DownloadOptions {
  /** Pause before the first retry, doubling with each; 1 s when absent. */
  readonly backOffMs?: number | undefined;
  /** A token that goes to the host of the URL, unless the URL holds credentials of its own. */
  readonly bearer?: string | undefined;
}

/** Another attempt may go better. */
class Passing extends Error {}

/**
 * Writes what the address answers into `file`; connection errors and 5xx are tried three times more. The time limit holds
 * for all attempts together. Errors: REMOTE_STORAGE_DOWNLOAD, LOCAL_STORAGE.
 */
export async function download(
  uri: string,
  file: FileHandle,
  limits: FetchLimits,
  signal: AbortSignal,
  { backOffMs = 1000, bearer }: DownloadOptions = {},
): Promise<void> {
  const timer = AbortSignal.timeout(limits.timeoutMs);
  const either = AbortSignal.any([signal, timer]);
  const agent = new Agent({
    connect: { lookup: guardedLookup(ruleOf(limits)), timeout: 10_000 },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await attemptOnce({ uri, bearer }, file, limits, agent, either);
      } catch (error) {
        if (!isPassing(error) || attempt === RETRIES) throw error;
        await pause(backOffMs * 2 ** attempt, undefined, { signal: either });
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failure(uri, timer.aborted ? new Error(`it took longer than ${limits.timeoutMs / 1000} s`) : error);
  } finally {
    await agent.destroy();
  }
}

async function attemptOnce(
  from: GetRequest,
  file: FileHandle,
  limits: FetchLimits,
  agent: Agent,
  signal: AbortSignal,
): Promise<void> {
  const answer = await guardedGet(from, { rule: ruleOf(limits), agent, signal });
  await store(answer, file, limits.maxBytes);
}

async function store(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  file: FileHandle,
  maxBytes: number,
) {
  if (statusCode !== 200) {
    await body.dump();
    const message = `the server answered with status ${statusCode}`;
    throw statusCode >= 500 || statusCode === 429 ? new Passing(message) : new Error(message);
  }
  const tooLarge = new Error(`it is larger than the ${maxBytes} bytes that a medium may have`);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge;
  await file.truncate(0);
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (size + chunk.length > maxBytes) throw tooLarge;
    await write(file, chunk, size);
    size += chunk.length;
  }
}

async function write(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  try {
    await file.write(chunk, 0, chunk.length, at);
  } catch (error) {
    throw new MediumError('LOCAL_STORAGE', `The medium could not be stored: ${firstLine(error)}`, {
      cause: error,
    });
  }
}

/** Whether it is worth another attempt: the server's own trouble, or a broken connection. */
function isPassing(error: unknown): boolean {
  if (error instanceof Passing) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(ECONN|EPIPE|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_(SOCKET|(CONNECT|HEADERS|BODY)_TIMEOUT))/.test(
    code,
  );
}

function failure(uri: string, error: unknown): Error {
  if (error instanceof MediumError) return error;
  const reason = error instanceof ForbiddenAddress ? error.message : firstLine(error);
  return new MediumError(
    'REMOTE_STORAGE_DOWNLOAD',
    `Error retrieving media and saving it to temp file: ${shownUri(uri)}: ${reason}`,
    { cause: error },
  );
}

const ruleOf = ({ allowPrivate }: FetchLimits): AddressRule => ({
  allowPrivate,
  settings: 'the setting FETCH_PRIVATE',
});
