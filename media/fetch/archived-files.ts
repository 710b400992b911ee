/** Fetches files of an earlier job from the addresses in its document: on a disk, a web server or in a bucket. */
import { createWriteStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { REACH_SETTINGS } from '../../egress/http/addresses.ts';
import { openArchivedFile, type ArchivedObject } from '../../egress/archived-document.ts';
import { openBucket, type Bucket } from '../../egress/bucket.ts';
import { isPassing } from '../../egress/bucket-errors.ts';
import { HttpClient } from '../../egress/http/http-client.ts';
import { NoAnswer } from '../../egress/http/no-answer.ts';
import { repeatedly } from '../../egress/http/retry.ts';
import type { BucketObject } from '../../domain/types.ts';
import { checkFileUri, shownUri } from './file-uris.ts';
import { MediumError } from '../medium-error.ts';

export interface ArchivedFilesOptions {
  /** Folders below which `file:` results must lie, and folders below which they must not. */
  readonly roots: readonly string[];
  readonly excluded: readonly string[];
  /** True if files may come from this host or a private network. */
  readonly allowPrivate: boolean;
  /** Host names and addresses that are allowed even if they are private. */
  readonly allowedHosts: readonly string[];
  /** Version of the product. */
  readonly version: string;
  readonly backOffMs?: number | undefined;
}

export interface WantedFile {
  readonly uri: string;
  /** The object in a bucket with known keys that `uri` names; null otherwise. */
  readonly object: BucketObject | null;
  /** Path for a copy. */
  readonly into: string;
  readonly maxBytes: number;
  /** The setting that defines `maxBytes`. */
  readonly limit?: string;
}

export interface BroughtFile {
  readonly path: string;
  /** True if the file was copied to `into`. The caller deletes it. */
  readonly isCopy: boolean;
  readonly contentType: string | undefined;
}

export interface ArchivedFiles {
  /** @throws MediumError REMOTE_STORAGE_DOWNLOAD, with a message without secrets. */
  bring(file: WantedFile, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<BroughtFile>;
  close(): Promise<void>;
}

const SILENCE_MS = 30_000;
/** At most this many buckets stay open. The results of one job are in a few buckets, and each bucket has its own connections. */
const MOST_BUCKETS = 16;

/** Opens a reader of archived files. Downloads obey the address rules of callbacks, because a client's archive chooses the addresses. */
export async function openArchivedFiles({
  roots,
  excluded,
  allowPrivate,
  allowedHosts,
  version,
  backOffMs,
}: ArchivedFilesOptions): Promise<ArchivedFiles> {
  const reach = { allowPrivate, allowedHosts, settings: REACH_SETTINGS };
  const client = new HttpClient(reach);
  const buckets = new Map<string, Bucket>();
  const folders = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  const toArchived = (object: BucketObject | null): ArchivedObject | null => {
    if (object === null) return null;
    const bucket = buckets.get(object.bucket.url) ?? openBucket(object.bucket, reach, { backOffMs });
    buckets.set(object.bucket.url, bucket);
    if (buckets.size > MOST_BUCKETS) throw new Error(`they are in more than ${MOST_BUCKETS} buckets`);
    return { bucket, object };
  };
  return {
    async bring(file, signal, onBytes) {
      const { uri, into, maxBytes, limit } = file;
      try {
        if (/^file:/i.test(uri))
          return { path: await checkFileUri(uri, folders, excluded), isCopy: false, contentType: undefined };
        const parts = { client, timeoutMs: SILENCE_MS, maxBytes, limit, version };
        const object = toArchived(file.object);
        const attempt = async () => {
          const { stream, contentType } = await openArchivedFile(parts, uri, object, signal);
          await pipeline(stream, countBytes(onBytes), createWriteStream(into), { signal });
          return contentType;
        };
        const contentType = await repeatedly(attempt, { backOffMs, isPassing: mayPass }, signal);
        return { path: into, isCopy: true, contentType };
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        throw new MediumError('REMOTE_STORAGE_DOWNLOAD', `${shownUri(uri)} could not be read: ${reason}`, {
          cause: error,
        });
      }
    },
    async close() {
      await client.close();
      for (const bucket of buckets.values()) bucket.close();
    },
  };
}

/** True if a retry may help. Failed bucket requests were already retried by the bucket client. */
const mayPass = (error: unknown): boolean => (error instanceof NoAnswer ? !error.final : isPassing(error));

function countBytes(onBytes: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
}
