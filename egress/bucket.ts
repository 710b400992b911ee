/**
 * Objects of S3 stores: files put there and brought from there. What opens a bucket is only what is handed in: neither the
 * environment nor a file nor the host is asked for keys.
 */
import type { PutObjectCommand } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BucketAccess, BucketObject } from '../domain/types.ts';
import type { AddressRule } from './http/addresses.ts';
import { connectBucket, type Connection } from './bucket-client.ts';
import { bucketError, isAnswer, isPassing } from './bucket-errors.ts';
import { repeatedly } from './http/retry.ts';
import { LocalFileError, localError, storeAnswer, type FileToGet } from './http/store-answer.ts';

/** Errors: BucketError; LocalFileError when our own file is the trouble; the reason of the signal when it is aborted. */
export interface Bucket {
  /** Sends nothing when an object of the same key and size is there already. */
  putFile(file: FileToPut, signal: AbortSignal): Promise<void>;
  /** Writes the object into the file from its beginning. */
  getFile(object: Omit<BucketObject, 'bucket'>, into: FileToGet, signal: AbortSignal): Promise<void>;
  /** Begins to read the object; whoever has asked reads its content, or destroys it. */
  openObject(object: Omit<BucketObject, 'bucket'>, signal: AbortSignal): Promise<ObjectContent>;
  /** Whether the bucket has an object of this key, as far as the keys are allowed to see that. */
  has(key: string, signal: AbortSignal): Promise<boolean>;
  /** Ends the connections that are kept. */
  close(): void;
}

export interface FileToPut {
  readonly path: string;
  readonly key: string;
  /** Of the file, in hex; a store refuses what does not fit it. */
  readonly sha256: string;
  /** What it is opened as by whoever follows its address. */
  readonly contentType?: string | undefined;
  /** Hears of each chunk that is sent. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface ObjectContent {
  readonly stream: Readable;
  /** When the other side tells. */
  readonly bytes: number | undefined;
  readonly contentType: string | undefined;
}

export interface BucketTuning {
  /** In all; 4 when absent. */
  readonly attempts?: number | undefined;
  /** Pause before the second attempt, doubling with each; 1 s when absent. */
  readonly backOffMs?: number | undefined;
  /** A store that is silent for so long has hung; 30 s when absent. */
  readonly silenceMs?: number | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/** Connects on the first request. */
export function openBucket(
  access: BucketAccess,
  rule: AddressRule,
  { attempts, backOffMs, silenceMs = 30_000 }: BucketTuning = {},
): Bucket {
  let opened: Promise<Connection> | undefined;
  const persistently = async <T>(
    signal: AbortSignal,
    attempt: (to: Connection) => Promise<T>,
  ): Promise<T> => {
    try {
      signal.throwIfAborted();
      const connection = await (opened ??= connectBucket(access, rule, silenceMs));
      return await repeatedly(() => attempt(connection), { attempts, backOffMs, isPassing }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof LocalFileError ? error : bucketError(error, access);
    }
  };
  return {
    putFile: (file, signal) => persistently(signal, (to) => put(to, access.url, file, signal)),
    getFile: (object, into, signal) =>
      persistently(signal, (to) => get(to, access.url, object, into, signal)),
    openObject: (object, signal) => persistently(signal, (to) => openContent(to, access.url, object, signal)),
    has: (key, signal) =>
      persistently(signal, async (to) => {
        const size = await sizeIn(to, { Bucket: access.url, Key: key }, signal);
        return size !== undefined;
      }),
    close: () =>
      void opened?.then(
        ({ close }) => close(),
        () => undefined,
      ),
  };
}

async function put(to: Connection, bucket: string, file: FileToPut, signal: AbortSignal): Promise<void> {
  const size = await sizeOf(file.path);
  const target = { Bucket: bucket, Key: file.key };
  if ((await sizeIn(to, target, signal)) === size) return;
  const stop = new AbortController();
  const body = Readable.from(chunksOf(file), { objectMode: false });
  body.once('error', (error) => stop.abort(error));
  const content = { Body: body, ContentLength: size, ContentType: file.contentType };
  const command = new to.sdk.PutObjectCommand({ ...target, ...content });
  signContent(command, file.sha256);
  try {
    await to.client.send(command, { abortSignal: AbortSignal.any([signal, stop.signal]) });
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    body.destroy();
  }
}

/** Bytes of an object, undefined without one. Keys that may only write are refused an answer; then it counts as absent. */
async function sizeIn(
  { sdk, client }: Connection,
  target: { readonly Bucket: string; readonly Key: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const { ContentLength } = await client.send(new sdk.HeadObjectCommand(target), { abortSignal: signal });
    return ContentLength ?? 0;
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}

/** The content is part of what is signed, though it is sent as a stream. */
function signContent(command: PutObjectCommand, sha256: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'signContent' },
  );
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw localError('read', error);
  }
}

async function* chunksOf({ path, onBytes = () => undefined }: FileToPut): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of chunks) {
      onBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw localError('read', error);
  }
}

async function openContent(
  { sdk, client }: Connection,
  bucket: string,
  { key, versionId }: Omit<BucketObject, 'bucket'>,
  signal: AbortSignal,
): Promise<ObjectContent> {
  const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId });
  const { Body, ContentLength, ContentType } = await client.send(command, { abortSignal: signal });
  return { stream: Body as Readable, bytes: ContentLength, contentType: ContentType };
}

async function get(
  to: Connection,
  bucket: string,
  object: Omit<BucketObject, 'bucket'>,
  into: FileToGet,
  signal: AbortSignal,
): Promise<void> {
  const { stream, bytes } = await openContent(to, bucket, object, signal);
  try {
    await storeAnswer(stream, bytes, into);
  } finally {
    stream.destroy();
  }
}
