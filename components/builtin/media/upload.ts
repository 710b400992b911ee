/** Uploads results to the bucket that the properties name: the detection document (UPLOAD), and files of other work. */
import fastq from 'fastq';
import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { hashFile } from '../../../media/inspect/hash.ts';
import { MediumError } from '../../../media/medium-error.ts';
import { objectKey, objectUri, resultsBucket, type ResultsBucket } from '../../../domain/job/buckets.ts';
import type { Properties } from '../../../domain/types.ts';
import type { openResultBucket, ResultBucket } from '../../../media/fetch/buckets.ts';
import type { UploadAnswer, UploadWork } from '../../../protocol/bucket-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { SlowBuckets } from './slow-buckets.ts';

/** Uploads a file and returns the URI of the object. Throws REMOTE_STORAGE_UPLOAD, with a message without secrets. */
export type StoreResult = (path: string, signal: AbortSignal) => Promise<string>;

export interface StoreOptions {
  /** True if the bucket may be on this host or in a private network. */
  readonly privateBuckets?: boolean | undefined;
  /** Called with bytes that are read and sent, which shows progress of large files. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Pause before the second attempt, doubled for each further one; 1 s if undefined. */
  readonly backOffMs?: number | undefined;
  /** Maximum number of attempts; 4 if undefined. */
  readonly attempts?: number | undefined;
  /** Failures of unresponsive buckets; by default those of this process. */
  readonly slow?: SlowBuckets | undefined;
}

const slowBuckets = new SlowBuckets();

/** Maximum number of concurrent uploads of a store. */
export const UPLOADS_AT_ONCE = 4;
/** Number of consecutive failed files after which a bucket is skipped, because thousands of others would take hours to fail. */
const FAILURES_IN_A_ROW = 3;
/** Timeout without transferred bytes for uploads of cancelled jobs, in milliseconds. */
const HURRIED_MS = 5_000;

/**
 * Yields one line, an UploadAnswer. A file that cannot be uploaded stays in place, with a warning. It makes one attempt, and the server
 * retries temporary failures. Throws REMOTE_STORAGE_UPLOAD.
 */
export async function* upload(work: UploadWork, context: WorkContext): AsyncGenerator<string> {
  const { size } = await stat(work.path);
  let done = 0;
  const timeLimit = new AbortController();
  const over = () => timeLimit.abort(new Error(`The bucket accepted no data for ${HURRIED_MS} ms`));
  const timer = work.hurried === true ? setTimeout(over, HURRIED_MS) : undefined;
  const store = resultStore(work.properties, {
    privateBuckets: work.privateBuckets,
    attempts: 1,
    onBytes: (bytes) => {
      timer?.refresh();
      context.progress((done += bytes), 2 * size);
    },
  });
  try {
    yield `${JSON.stringify(await uploadOrKeep(work.path, store, context.signal, timeLimit.signal))}\n`;
  } finally {
    clearTimeout(timer);
  }
}

async function uploadOrKeep(
  path: string,
  store: StoreResult | undefined,
  signal: AbortSignal,
  timeLimit: AbortSignal,
): Promise<UploadAnswer> {
  const local = pathToFileURL(path).href;
  if (store === undefined) return { uri: local, warnings: [] };
  try {
    return { uri: await store(path, AbortSignal.any([signal, timeLimit])), warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MediumError && error.mayPass === true && !timeLimit.aborted) throw error;
    const message = `${error instanceof Error ? error.message : String(error)}. The file stays on the server.`;
    return { uri: local, warnings: [{ code: 'REMOTE_STORAGE_UPLOAD', message }] };
  }
}

/** Returns the store for the bucket in the properties, or undefined if results stay here. Invalid properties throw on use. */
export function resultStore(properties: Properties, options: StoreOptions = {}): StoreResult | undefined {
  const bucket = bucketOf(properties);
  if (bucket === null) return undefined;
  if (bucket instanceof MediumError) return () => Promise.reject(bucket);
  const store = storeOne(bucket, options);
  const { slow = slowBuckets } = options;
  const name = `${bucket.url} ${bucket.accessKey}`;
  let [failed, last]: [number, unknown] = [0, undefined];
  const lane = fastq.promise(async ({ path, signal }: Task) => {
    signal.throwIfAborted();
    if (failed >= FAILURES_IN_A_ROW) throw last;
    try {
      const uri = await slow.use(name, () => store(path, signal), signal);
      failed = 0;
      return uri;
    } catch (error) {
      [failed, last] = [failed + 1, error];
      throw error;
    }
  }, UPLOADS_AT_ONCE);
  return (path, signal) => lane.push({ path, signal });
}

interface Task {
  readonly path: string;
  readonly signal: AbortSignal;
}

/** Returns a store that uploads concurrent files with the same content only once. */
function storeOne(bucket: ResultsBucket, options: StoreOptions): StoreResult {
  const { privateBuckets = false, onBytes, backOffMs, attempts } = options;
  let opened: Promise<ResultBucket> | undefined;
  const underWay = new Map<string, Promise<void>>();
  return async (path, signal) => {
    const sha256 = await hashFile(path, signal, onBytes);
    const key = objectKey(bucket.prefix, sha256);
    const other = underWay.get(key);
    opened ??= openedBucket(bucket, privateBuckets, { backOffMs, attempts });
    const sent = other ?? opened.then((files) => files.store({ path, key, sha256 }, signal, onBytes));
    underWay.set(key, sent);
    try {
      await sent;
    } finally {
      if (other === undefined) underWay.delete(key);
    }
    return objectUri(bucket, key);
  };
}

/** Opens a bucket. The bucket client is loaded for the first upload. */
async function openedBucket(...one: Parameters<typeof openResultBucket>): Promise<ResultBucket> {
  const { openResultBucket } = await import('../../../media/fetch/buckets.ts');
  return openResultBucket(...one);
}

function bucketOf(properties: Properties): ResultsBucket | MediumError | null {
  try {
    return resultsBucket(properties);
  } catch (error) {
    return new MediumError('REMOTE_STORAGE_UPLOAD', error instanceof Error ? error.message : String(error));
  }
}
