import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../../config/logger.ts';
import { receiveFile } from '../../results/receive-file.ts';
import { syncFolder } from '../../files/folders.ts';
import { removeFolder } from '../../files/remove.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { uploadFileName } from './file-name.ts';
import {
  isUpload,
  isUploadOf,
  bytesOf,
  lastPieceOf,
  newUpload,
  reservedBytes,
  timeOf,
  unfinishedIn,
  uploadsIn,
} from './folders.ts';
import { PieceUploads } from './pieces.ts';
import { noRoom, Refused, refusalOf, type Refusal } from './refusal.ts';
import { UploadUsage, type Uploader, type UploadLimits } from './usage.ts';
import type { UploadLocks } from './upload-locks.ts';
import { MinimumRate } from './minimum-rate.ts';
import { uploadOf, usedUploads } from './used-uploads.ts';

export interface UploadDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The folder of uploads, without symbolic links. Each upload has a folder in it. */
  readonly folder: string;
  /** Locks that servers with the same store and folder share. Absent if there are no other servers. */
  readonly uploadLocks?: UploadLocks;
  readonly settings: UploadLimits & {
    readonly minFreeBytes: number;
    readonly keepMs: number;
    /** Time within which an upload must receive another piece. */
    readonly paceMs: number;
  };
}

export interface Upload {
  readonly id: string;
  /** The URI of the medium for jobs. */
  readonly uri: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. A live job that uses the upload keeps it longer. */
  readonly expires: number;
}

export type UploadOutcome = { readonly kind: 'stored'; readonly upload: Upload } | Refusal;

/** Number of received bytes after which the free disk space is checked again. */
const LOOK_AGAIN = 64 * 1024 * 1024;
/**
 * Additional time, after `paceMs`, before an upload of another server counts as broken off. That server may still be writing it to disk.
 */
const RECEIVING_MS = 600_000;
/** Time for which an upload in pieces is kept after its last piece. */
const UNFINISHED_MS = 24 * 3_600_000;

/**
 * Media of clients that share no folder with the server. An upload stays until it is deleted or expires, but never expires while a live job
 * uses it. Its file is its only state; the store has none.
 */
export class UploadStore {
  readonly #deps: UploadDeps;
  readonly #usage = new UploadUsage();
  readonly #coming = new Set<string>();
  /** Running deletions by upload. */
  readonly #going = new Map<string, Promise<unknown>>();
  /** By upload: number of requests that are about to use it. */
  readonly #kept = new Map<string, number>();

  /** Uploads in pieces. */
  readonly pieces: PieceUploads;

  private constructor(deps: UploadDeps) {
    this.#deps = deps;
    this.pieces = new PieceUploads({
      ...{ folder: deps.folder, clock: deps.clock, paceMs: deps.settings.paceMs, keepMs: UNFINISHED_MS },
      reserve: (id, bytes, by) => this.#reserve(id, bytes, by),
      drop: (id) => this.#usage.drop(id),
      lookAtDisk: (coming) => this.#lookAtDisk(coming),
      expiry: (id) => this.#expiry(id),
    });
  }

  /** The folder of uploads, without symbolic links. */
  get folder(): string {
    return this.#deps.folder;
  }

  /** Reads the existing uploads. Incomplete files of a dead server are deleted. */
  static async open(deps: UploadDeps): Promise<UploadStore> {
    const uploads = new UploadStore(deps);
    await mkdir(deps.folder, { recursive: true, mode: 0o700 });
    for (const id of await uploadsIn(deps.folder)) {
      const bytes = await reservedBytes(deps.folder, id);
      if (bytes !== undefined) uploads.#usage.resize(id, bytes);
      else if (deps.uploadLocks === undefined) await uploads.#removeBroken(id);
    }
    if (deps.uploadLocks !== undefined) await uploads.#removeBrokenOff();
    return uploads;
  }

  /** Reads which uploads other servers have added and deleted. */
  async lookAgain(): Promise<void> {
    const known = this.#usage.ids().filter((id) => !this.#coming.has(id));
    const present = new Set(await uploadsIn(this.#deps.folder));
    for (const id of known) if (!present.has(id)) this.#usage.drop(id);
    for (const id of present) {
      if (this.#usage.has(id)) continue;
      const bytes = await reservedBytes(this.#deps.folder, id);
      // The upload may have started on this server meanwhile.
      if (bytes !== undefined && !this.#usage.has(id)) this.#usage.resize(id, bytes);
    }
  }

  /** `length`: bytes that the client announced. `name`: file name at the client. */
  async receive(
    source: Readable,
    length: number | undefined,
    name: string,
    by: Uploader,
  ): Promise<UploadOutcome> {
    const id = newUpload(this.#deps.clock.now(), by.user);
    const folder = path.join(this.#deps.folder, id);
    this.#coming.add(id);
    const { clock, settings } = this.#deps;
    const rate = new MinimumRate(clock, settings.paceMs, () => source.destroy());
    try {
      this.#reserve(id, length ?? 0, by);
      await this.#lookAtDisk(length ?? 0);
      await mkdir(folder, { mode: 0o700 });
      const file = path.join(folder, uploadFileName(name));
      const received = await receiveFile(source, file, (bytes) => {
        rate.noteBytes(bytes);
        return this.#grows(id, bytes, by);
      });
      if (received.bytes === 0) throw new Refused('empty', 'The request has no body; it must be the medium.');
      await syncFolder(this.#deps.folder);
      this.#usage.resize(id, received.bytes);
      const uri = pathToFileURL(file).href;
      return { kind: 'stored', upload: { id, uri, ...received, expires: this.#expiry(id) } };
    } catch (error) {
      this.#usage.drop(id);
      await removeFolder(folder);
      return refusalOf(error, source);
    } finally {
      rate.end();
      this.#coming.delete(id);
    }
  }

  /**
   * Runs `work`, which may create a live job with these media. None of them is deleted meanwhile. If a deletion is under way, `work` starts
   * after it.
   */
  async keepDuring<T>(uris: readonly string[], work: () => Promise<T>): Promise<T> {
    const { folder, uploadLocks } = this.#deps;
    const ids = [...new Set(uris.flatMap((uri) => uploadOf(uri, folder) ?? []))];
    const held: string[] = [];
    for (const id of ids) this.#kept.set(id, (this.#kept.get(id) ?? 0) + 1);
    try {
      await Promise.allSettled(ids.flatMap((id) => this.#going.get(id) ?? []));
      if (uploadLocks !== undefined)
        for (const id of ids)
          if ((await bytesOf(folder, id)) !== undefined) {
            await uploadLocks.hold(id);
            held.push(id);
          }
      return await work();
    } finally {
      // A lock that cannot be released now expires.
      for (const id of held) await uploadLocks?.release(id).catch(() => undefined);
      for (const id of ids) {
        const others = (this.#kept.get(id) ?? 1) - 1;
        if (others > 0) this.#kept.set(id, others);
        else this.#kept.delete(id);
      }
    }
  }

  /** @param by the user, who can remove only own uploads; absent: may remove all */
  async remove(id: string, by?: string): Promise<'removed' | 'unknown' | 'foreign' | 'inUse'> {
    await this.#going.get(id)?.catch(() => undefined);
    if (by === undefined || isUploadOf(id, by)) await this.pieces.stop(id);
    if (this.#coming.has(id) || !(await this.#isThere(id))) return 'unknown';
    if (by !== undefined && !isUploadOf(id, by)) return 'foreign';
    return (await this.#removeUnused([id])).includes(id) ? 'removed' : 'inUse';
  }

  /** Deletes expired uploads of all servers that no live job uses. */
  async removeExpired(): Promise<void> {
    const { clock, logger } = this.#deps;
    await this.#removeBrokenOff();
    const now = clock.now();
    const old = this.#usage.ids().filter((id) => !this.#coming.has(id) && this.#expiry(id) <= now);
    if (old.length === 0) return;
    for (const id of await this.#removeUnused(old)) logger.info({ upload: id }, 'removed an expired upload');
  }

  /** Deletes the uploads that are used neither by a live job nor by a request that may create one. Returns their ids. */
  async #removeUnused(ids: readonly string[]): Promise<readonly string[]> {
    const wanted = ids.filter((id) => !this.#kept.has(id));
    const removal = this.#removeAll(wanted);
    for (const id of wanted) this.#going.set(id, removal);
    try {
      return await removal;
    } finally {
      for (const id of wanted) if (this.#going.get(id) === removal) this.#going.delete(id);
    }
  }

  async #removeAll(ids: readonly string[]): Promise<readonly string[]> {
    const { store, folder, uploadLocks } = this.#deps;
    const free: string[] = [];
    // The jobs are read only after the locks prevent that a request creates a job with these media.
    for (const id of ids)
      if (uploadLocks === undefined || (await uploadLocks.beginRemoval(id))) free.push(id);
    const used = free.length === 0 ? new Set() : await usedUploads(store, folder);
    const removed: string[] = [];
    for (const id of free) {
      // With very many uploads, the lock of the first ones may have expired.
      const isUnused = !used.has(id) && (uploadLocks === undefined || (await uploadLocks.renewRemoval(id)));
      if (isUnused) {
        await removeFolder(path.join(folder, id));
        this.#usage.drop(id);
        removed.push(id);
      }
      await uploadLocks?.endRemoval(id, isUnused);
    }
    return removed;
  }

  /** True if the upload exists. Another server may just have added or deleted it. */
  async #isThere(id: string): Promise<boolean> {
    if (this.#deps.uploadLocks === undefined) return this.#usage.has(id);
    const bytes = isUpload(id) ? await reservedBytes(this.#deps.folder, id) : undefined;
    if (bytes === undefined) this.#usage.drop(id);
    else this.#usage.resize(id, bytes);
    return bytes !== undefined;
  }

  /** Deletes broken-off uploads of all servers: those that received nothing for a long time. */
  async #removeBrokenOff(): Promise<void> {
    const { clock, folder, settings } = this.#deps;
    const before = clock.now() - settings.paceMs - RECEIVING_MS;
    for (const id of await uploadsIn(folder)) {
      const last = this.#coming.has(id) ? undefined : await lastPieceOf(folder, id);
      if (last === undefined || last >= before) continue;
      const isResumable = (await unfinishedIn(folder, id)) !== undefined;
      if (!isResumable || last < clock.now() - UNFINISHED_MS) await this.#removeBroken(id);
    }
  }

  async #removeBroken(id: string): Promise<void> {
    this.#deps.logger.info({ upload: id }, 'removing an incomplete upload');
    await this.pieces.stop(id);
    await removeFolder(path.join(this.#deps.folder, id));
    this.#usage.drop(id);
  }

  #expiry(id: string): number {
    return timeOf(id) + this.#deps.settings.keepMs;
  }

  async #grows(id: string, bytes: number, by: Uploader): Promise<void> {
    const before = this.#usage.sizeOf(id);
    if (bytes <= before) return;
    this.#reserve(id, bytes, by);
    if (Math.floor(before / LOOK_AGAIN) < Math.floor(bytes / LOOK_AGAIN)) await this.#lookAtDisk(0);
  }

  /** Reserves space. Simultaneous uploads never exceed the limits together. */
  #reserve(id: string, bytes: number, { isLimited }: Uploader): void {
    const objection = this.#usage.objection(id, bytes, this.#deps.settings, isLimited);
    if (objection !== undefined) throw new Refused(objection.kind, objection.message);
    this.#usage.resize(id, bytes);
  }

  async #lookAtDisk(coming: number): Promise<void> {
    const { folder, settings } = this.#deps;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - coming < settings.minFreeBytes) throw noRoom();
  }
}
