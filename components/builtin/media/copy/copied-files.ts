/** Copies files that a document names into a bucket, several at a time. */
import fastq from 'fastq';
import { LRUCache } from 'lru-cache';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchivedFiles } from '../../../../media/fetch/archived-files.ts';
import type { ResultBucket } from '../../../../media/fetch/buckets.ts';
import { hashFile } from '../../../../media/inspect/hash.ts';
import {
  archivedObject,
  hashInKey,
  objectKey,
  objectUri,
  type ResultsBucket,
} from '../../../../domain/job/buckets.ts';
import type { CopyWork } from '../../../../protocol/bucket-work.ts';
import type { CopyProgress } from './copy-progress.ts';

export interface CopiedFilesDeps {
  readonly work: CopyWork;
  readonly bucket: ResultsBucket;
  readonly target: ResultBucket;
  readonly sources: ArchivedFiles;
  /** Folder for files that are being copied. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: CopyProgress;
}

/** Maximum number of cached addresses. Files of evicted addresses are checked again. */
const REMEMBERED = 50_000;

export class CopiedFiles {
  readonly #deps: CopiedFilesDeps;
  readonly #lane;
  readonly #known = new LRUCache<string, Promise<string>>({ max: REMEMBERED });
  #number = 0;

  constructor(deps: CopiedFilesDeps) {
    this.#deps = deps;
    this.#lane = fastq.promise((uri: string) => this.#copy(uri), deps.work.atOnce);
  }

  /** Copies a file and returns the address of the copy. */
  copyFile(uri: string): Promise<string> {
    const known = this.#known.get(uri) ?? this.#lane.push(uri);
    this.#known.set(uri, known);
    return known.finally(() => this.#deps.progress.fileDone());
  }

  /** Resolves when no copy is running. */
  async waitUntilCopied(): Promise<void> {
    await this.#lane.drained();
  }

  async #copy(uri: string): Promise<string> {
    const { work, bucket, target, sources, folder, signal, progress } = this.#deps;
    signal.throwIfAborted();
    const object = archivedObject(uri, work.properties);
    const known = object === null ? null : hashInKey(object.key, work.properties);
    if (known !== null) {
      const key = objectKey(bucket.prefix, known);
      const isThere = object?.bucket.url === bucket.url && object.key === key;
      if (isThere || (await target.has(key, signal))) return objectUri(bucket, key);
    }
    const into = join(folder, `file-${++this.#number}`);
    const { maxFileBytes: maxBytes } = work;
    try {
      const wanted = { uri, object, into, maxBytes, limit: 'MAX_MEDIUM_BYTES' };
      const { path, contentType } = await sources.bring(wanted, signal, progress.bytesMoved);
      const sha256 = await hashFile(path, signal, progress.bytesMoved);
      const key = objectKey(bucket.prefix, sha256);
      await target.store({ path, key, sha256, contentType }, signal, progress.bytesMoved);
      return objectUri(bucket, key);
    } finally {
      await rm(into, { force: true });
    }
  }
}
