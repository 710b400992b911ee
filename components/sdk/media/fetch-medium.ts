/** Fetches a sub-job's medium from the server into a file, over as many connections as necessary. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../../protocol/coded-error.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { WorkerClient } from '../connection/client.ts';
import { ProtocolError } from '../failure.ts';
import { onOwnDisk, OwnDiskError } from '../own-disk.ts';
import { mayPass } from '../connection/retry.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;
/** Timeout of a connection without data. */
const SILENCE_MS = 30_000;
/** Minimum size of a write. Starting a write takes longer than writing this number of bytes. */
const WRITTEN_AT_ONCE = 1024 * 1024;

export interface Fetching {
  readonly signal: AbortSignal;
  /** Called about once a second while a medium is fetched, here or by another process. */
  working(): void;
}

/** State of a fetched file. */
interface Fetched {
  readonly file: FileHandle;
  bytes: number;
  hash: Hash;
  /** ETag of the received data; undefined for data from an earlier attempt. */
  etag: string | undefined;
  isWhole: boolean;
}

/** Continues an incomplete file. Throws COULD_NOT_OPEN_MEDIA, COULD_NOT_READ_MEDIA, and errors of a lost lease. */
export async function fetchMedium(
  client: Pick<WorkerClient, 'get'>,
  medium: WorkMedium,
  path: string,
  fetching: Fetching,
): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const found = await openPart(file, path, medium);
    const wasBegun = found.bytes > 0;
    await fetchAll(client, medium, found, fetching);
    if (isRight(found, medium)) return;
    // The earlier data may have been wrong.
    if (wasBegun) {
      await again(found);
      await fetchAll(client, medium, found, fetching);
    }
    if (!isRight(found, medium))
      throw new CodedError(
        'COULD_NOT_READ_MEDIA',
        'The medium has changed since the job inspected it. Resubmit the job.',
      );
  } finally {
    await file.close();
  }
}

/** Opens an incomplete file. Without a hash, the file cannot be verified to be part of this medium, so fetching restarts. */
async function openPart(file: FileHandle, path: string, { sha256 }: WorkMedium): Promise<Fetched> {
  const fresh: Fetched = { file, bytes: 0, hash: createHash('sha256'), etag: undefined, isWhole: false };
  const { size } = await file.stat();
  if (size === 0) return fresh;
  if (sha256 === undefined) {
    await again(fresh);
    return fresh;
  }
  for await (const chunk of createReadStream(path, { end: size - 1 })) fresh.hash.update(chunk as Buffer);
  return { ...fresh, bytes: size };
}

async function again(found: Fetched): Promise<void> {
  await onOwnDisk(found.file.truncate(0));
  Object.assign(found, { bytes: 0, hash: createHash('sha256'), etag: undefined, isWhole: false });
}

const isRight = ({ hash, bytes }: Fetched, { sha256, bytes: expected }: WorkMedium): boolean =>
  (expected === undefined || bytes === expected) &&
  (sha256 === undefined || hash.copy().digest('hex') === sha256);

/** Fetches until the file is complete. After an interruption, fetching continues at that position. */
async function fetchAll(
  client: Pick<WorkerClient, 'get'>,
  medium: WorkMedium,
  found: Fetched,
  fetching: Fetching,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!found.isWhole) {
    const before = found.bytes;
    try {
      await fetchSome(client, medium, found, fetching);
    } catch (error) {
      if (fetching.signal.aborted || !isPassing(error)) throw refusalOf(error);
      fetching.working();
      pause = found.bytes > before ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: fetching.signal });
    }
  }
}

async function fetchSome(
  client: Pick<WorkerClient, 'get'>,
  { url, bytes: expected }: WorkMedium,
  found: Fetched,
  fetching: Fetching,
): Promise<void> {
  if (expected !== undefined && found.bytes === expected) {
    found.isWhole = true;
    return;
  }
  const part = found.bytes === 0 ? {} : { range: `bytes=${found.bytes}-` };
  const same = found.bytes === 0 || found.etag === undefined ? {} : { 'if-range': found.etag };
  const answer = await client.get(url!, { ...part, ...same }, fetching.signal);
  if (answer.statusCode === 200 && found.bytes > 0) await again(found);
  found.etag = answer.headers.etag;
  await take(answer, found, fetching);
  found.isWhole = true;
}

async function take(answer: IncomingMessage, found: Fetched, { working }: Fetching): Promise<void> {
  answer.setTimeout(SILENCE_MS, () => answer.destroy(new Error(`nothing came for ${SILENCE_MS} ms`)));
  let pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      pieces.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size < WRITTEN_AT_ONCE) continue;
      await store(pieces, found);
      [pieces, size] = [[], 0];
      working();
    }
  } finally {
    // Also stores the data of an interrupted answer. Fetching continues after them.
    await store(pieces, found);
    working();
  }
  if (!answer.complete) throw new Error('The medium is incomplete.');
}

async function store(pieces: readonly Buffer[], found: Fetched): Promise<void> {
  const data = Buffer.concat(pieces);
  for (let at = 0; at < data.length;) at += (await onOwnDisk(found.file.write(data, at))).bytesWritten;
  found.hash.update(data);
  found.bytes += data.length;
}

/** True if a retry may help. A retry fixes neither errors of this host's disk nor malformed requests. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof OwnDiskError || error instanceof TypeError) && mayPass(error);

/** Converts the status of a missing medium to an error. 416: the medium has become shorter. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || ![404, 410, 416].includes(error.status)) return error;
  return new CodedError('COULD_NOT_OPEN_MEDIA', `The medium cannot be fetched: ${error.message}`);
}
