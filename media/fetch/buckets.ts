/** Results in buckets. The address rules of callbacks apply. */
import { extname } from 'node:path';
import { openBucket, type Bucket, type BucketTuning } from '../../egress/bucket.ts';
import { isPassing } from '../../egress/bucket-errors.ts';
import type { BucketAccess } from '../../domain/types.ts';
import { MediumError } from '../medium-error.ts';

/** A bucket that stores results. */
export interface ResultBucket {
  /** Stores a file. `sha256` is in hex. `onBytes` is called for each chunk that is sent. Throws REMOTE_STORAGE_UPLOAD. */
  store(
    file: {
      readonly path: string;
      readonly key: string;
      readonly sha256: string;
      /** Content type that the file had in another bucket, used if its extension is unknown. */
      readonly contentType?: string | undefined;
    },
    signal: AbortSignal,
    onBytes?: (bytes: number) => void,
  ): Promise<void>;
  /** True if an object with this key exists. Throws REMOTE_STORAGE_UPLOAD. */
  has(key: string, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Types that a browser displays. It only saves other files, because their content may come from third parties. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** Opens a bucket for results. `allowPrivate`: the bucket may be on this host or in a private network. */
export function openResultBucket(
  access: BucketAccess,
  allowPrivate: boolean,
  tuning: BucketTuning = {},
): ResultBucket {
  const bucket: Bucket = openBucket(
    access,
    { allowPrivate, settings: 'the setting CALLBACK_PRIVATE' },
    tuning,
  );
  const toFailure = (error: unknown) => {
    const message = `The file could not be uploaded to ${access.url}: ${messageOf(error)}`;
    const failed = new MediumError('REMOTE_STORAGE_UPLOAD', message, { cause: error });
    if (isPassing(error)) failed.mayPass = true;
    return failed;
  };
  return {
    async store(file, signal, onBytes) {
      try {
        const known = Object.values(CONTENT_TYPES).find((type) => type === file.contentType);
        const contentType = CONTENT_TYPES[extname(file.path).toLowerCase()] ?? known;
        await bucket.putFile({ ...file, contentType, onBytes }, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
      }
    },
    async has(key, signal) {
      try {
        return await bucket.has(key, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
      }
    },
    close: () => bucket.close(),
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
