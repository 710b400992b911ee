/** Results in buckets. The rules of addresses are those of callbacks. */
import { extname } from 'node:path';
import { openBucket, type Bucket, type BucketTuning } from '../../egress/bucket.ts';
import { isPassing } from '../../egress/bucket-errors.ts';
import type { BucketAccess } from '../../domain/types.ts';
import { MediumError } from '../medium-error.ts';

/** A bucket that results are put into. */
export interface ResultBucket {
  /** `sha256` of the file in hex; `onBytes` hears of each chunk that is sent. Errors: REMOTE_STORAGE_UPLOAD. */
  store(
    file: {
      readonly path: string;
      readonly key: string;
      readonly sha256: string;
      /** What it was in another bucket, when its name does not tell. */
      readonly contentType?: string | undefined;
    },
    signal: AbortSignal,
    onBytes?: (bytes: number) => void,
  ): Promise<void>;
  /** Whether there is an object of this key. Errors: REMOTE_STORAGE_UPLOAD. */
  has(key: string, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/** What a browser shows; other files, which somebody else may have made, it only saves. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** `allowPrivate`: whether it may be on this host or in a private network. */
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
