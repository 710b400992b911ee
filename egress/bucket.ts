/** Reads and writes objects of S3 stores. Only the given keys are used, none of the environment, of a file or of the host. */
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

/** Errors: BucketError; LocalFileError if a local file failed; the reason of the signal if it is aborted. */
export interface Bucket {
  /** Uploads a file, unless an object of the same key and size exists. */
  putFile(file: FileToPut, signal: AbortSignal): Promise<void>;
  /** Writes the object into the file from its beginning. */
  getFile(object: Omit<BucketObject, 'bucket'>, into: FileToGet, signal: AbortSignal): Promise<void>;
  /** Opens the object for reading. The caller reads its content, or destroys it. */
  openObject(object: Omit<BucketObject, 'bucket'>, signal: AbortSignal): Promise<ObjectContent>;
  /** True if the bucket has an object of this key, as far as the keys allow to see it. */
  has(key: string, signal: AbortSignal): Promise<boolean>;
  /** Closes the idle connections. */
  close(): void;
}

export interface FileToPut {
  readonly path: string;
  readonly key: string;
  /** Of the file, in hex. A store refuses other content. */
  readonly sha256: string;
  /** Content type for readers of the object's address. */
  readonly contentType?: string | undefined;
  /** Called with the size of each sent chunk. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface ObjectContent {
  readonly stream: Readable;
  /** Size, if the other side states it. */
  readonly bytes: number | undefined;
  readonly contentType: string | undefined;
}

export interface BucketTuning {
  /** Maximum number of attempts; 4 if absent. */
  readonly attempts?: number | undefined;
  /** Pause before the second attempt, doubling with each; 1 s if absent. */
  readonly backOffMs?: number | undefined;
  /** Time without a byte after which a store counts as hung; 30 s if absent. */
  readonly silenceMs?: number | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/** Opens a bucket. It connects at the first request. */
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

/** Bytes of an object. Undefined if it does not exist, or if write-only keys may not see it. */
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

/** Includes the content in the signature, although it is sent as a stream. */
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
