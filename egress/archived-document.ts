/** Reads results of a job of another service, such as its detection document, from the address that an archive returned. */
import { pipeline, Readable, Transform } from 'node:stream';
import type { BucketObject } from '../domain/types.ts';
import type { AddressRule } from './http/addresses.ts';
import { BucketError, isAnswer } from './bucket-errors.ts';
import type { Bucket, ObjectContent } from './bucket.ts';
import { takeCredentials } from './http/credentials.ts';
import { httpUrl } from './http/exchange.ts';
import type { HttpClient } from './http/http-client.ts';
import { NoAnswer, noAnswer } from './http/no-answer.ts';

export interface ArchivedFileDeps {
  /** Time in milliseconds without a byte after which the request fails. */
  readonly timeoutMs: number;
  readonly client: HttpClient;
  /** Maximum size of a file. Reading a larger one is aborted. */
  readonly maxBytes: number;
  /** Name of the setting with this limit, for the message. Absent if there is none. */
  readonly limit?: string | undefined;
  /** Version of the product, for the User-Agent. */
  readonly version: string;
}

/** A file in a bucket, with the access to it. */
export interface ArchivedObject {
  readonly bucket: Pick<Bucket, 'openObject'>;
  readonly object: Omit<BucketObject, 'bucket'>;
}

export type ArchivedFile = ObjectContent;

/**
 * Opens the file for reading, at the speed of its reader. Like all requests of the server it connects only to allowed addresses and follows
 * no redirection. A bucket is read with its keys, if they are known. If it refuses them, the request is repeated without keys: the address
 * may be that of a public bucket, or of no bucket.
 * @throws NoAnswer, BucketError
 */
export async function openArchivedFile(
  deps: ArchivedFileDeps,
  uri: string,
  found: ArchivedObject | null,
  signal: AbortSignal,
): Promise<ArchivedFile> {
  if (found === null) return limitFile(deps, await openPlain(deps, uri, signal));
  try {
    return limitFile(deps, await found.bucket.openObject(found.object, signal));
  } catch (error) {
    if (!(error instanceof BucketError) || !isAnswer(error.cause)) throw error;
    const plain = await openPlain(deps, uri, signal).catch(() => undefined);
    if (plain === undefined) throw error;
    return limitFile(deps, plain);
  }
}

async function openPlain(
  { client, timeoutMs, version }: ArchivedFileDeps,
  uri: string,
  signal: AbortSignal,
): Promise<ArchivedFile> {
  const url = httpUrl(uri);
  const headers = { 'User-Agent': `Troupe/${version}`, ...takeCredentials(url) };
  const {
    statusCode,
    headers: told,
    body,
  } = await client
    .open({ url, headers, headMs: timeoutMs, silenceMs: timeoutMs, signal })
    .catch((error: unknown) => Promise.reject(noAnswer(error, timeoutMs)));
  if (statusCode !== 200) {
    body.destroy();
    const passing = statusCode >= 500 || statusCode === 429;
    throw new NoAnswer(`it was answered with status ${statusCode}`, !passing);
  }
  const length = Number(told['content-length'] ?? Number.NaN);
  const bytes = Number.isSafeInteger(length) ? length : undefined;
  return { stream: body, bytes, contentType: [told['content-type']].flat()[0] };
}

function limitFile({ maxBytes, limit }: ArchivedFileDeps, file: ArchivedFile): ArchivedFile {
  const { stream, bytes } = file;
  if ((bytes ?? 0) > maxBytes) {
    stream.destroy();
    throw new NoAnswer(
      `it has ${bytes} bytes; at most ${maxBytes} are fetched${limit === undefined ? '' : ` (${limit})`}`,
      true,
    );
  }
  const end = boundedBy(maxBytes);
  // If the source breaks off, the answer to the client ends early.
  pipeline(stream, end, () => undefined);
  return { ...file, stream: end };
}

function boundedBy(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(new NoAnswer(`it has more than ${maxBytes} bytes`, true));
      else done(null, chunk);
    },
  });
}

/** Opens a document for a client of the server. It connects to the bucket only for this document. */
export async function openArchivedDocument(
  deps: ArchivedFileDeps & { readonly reach: AddressRule },
  uri: string,
  object: BucketObject | null,
): Promise<ArchivedFile> {
  const never = new AbortController().signal;
  if (object === null) return documentOnly(await openArchivedFile(deps, uri, null, never));
  const { openBucket } = await import('./bucket.ts');
  const bucket = openBucket(object.bucket, deps.reach, { silenceMs: deps.timeoutMs });
  try {
    const file = await documentOnly(await openArchivedFile(deps, uri, { bucket, object }, never));
    file.stream.once('close', () => bucket.close());
    return file;
  } catch (error) {
    bucket.close();
    throw error;
  }
}

/** Number of bytes at the start of a document that identify it. */
const HEAD_BYTES = 64 * 1024;

/**
 * Passes on only detection documents. The client of a job names its archive, which names the address. Other content of internal servers
 * must not reach the client. @throws NoAnswer
 */
async function documentOnly(file: ArchivedFile): Promise<ArchivedFile> {
  const source = (file.stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES && !isDocument(head)) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    bytes += next.value.length;
  }
  if (!isDocument(head)) {
    await source.return?.();
    throw new NoAnswer('the file there is not a detection document', true);
  }
  return { ...file, stream: Readable.from(both(head, source), { objectMode: false }) };
}

function isDocument(head: readonly Buffer[]): boolean {
  const text = Buffer.concat(head).toString('latin1');
  return text.trimStart().startsWith('{') && text.includes('"jobId"') && text.includes('"objectId"');
}

async function* both(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
