/**
 * Media on a host that does not see the server's files. All processes of the host share one folder: the first process
 * that needs a medium fetches it, and all others wait and use the same file. When the folder is too large, the least
 * recently used media are removed.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { WorkerClient } from '../connection/client.ts';
import { IN_USE, inUse, isDead, makeRoom, PART, takeDeadLock, touch } from './cache-room.ts';
import { fetchMedium, type Fetching } from './fetch-medium.ts';
import { onOwnDisk, OwnDiskError } from '../own-disk.ts';

export interface MediaCacheOptions {
  readonly folder: string;
  /** Maximum size of all stored media. */
  readonly maxBytes: number;
  /** Interval of marks that a medium is in use; 30 s if undefined. */
  readonly touchMs?: number;
  readonly client: Pick<WorkerClient, 'get'>;
  log(message: string): void;
}

/** A medium as a file on this host, until it is closed. */
export interface LocalMedium {
  readonly path: string;
  /** True if the file is at the server's path. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Interval of checks for a file that another process fetches. */
const LOOK_MS = 100;
const TOLD_MS = 1_000;

const WRITABLE_BY_ALL = 0o002;
const LOCK = '.lock';
/** Form of the hashes that name media. The same content is the same file, whichever server it comes from. */
const SHA256 = /^[\da-f]{64}$/;

export class MediaCache {
  readonly #options: MediaCacheOptions;
  readonly #own = `${process.pid}-${randomBytes(6).toString('hex')}`;
  #uses = 0;

  constructor(options: MediaCacheOptions) {
    this.#options = options;
  }

  /** Returns the medium. Throws COULD_NOT_OPEN_MEDIA, COULD_NOT_READ_MEDIA, OwnDiskError, and connection errors if the lease is lost. */
  async local(medium: WorkMedium, fetching: Fetching): Promise<LocalMedium> {
    const { url, path } = medium;
    if (url === undefined || isHere(medium)) return { path, isShared: true, close: () => Promise.resolve() };
    return onOwnDisk(this.#fetchMedium(medium, fetching));
  }

  async #fetchMedium(medium: WorkMedium, fetching: Fetching): Promise<LocalMedium> {
    const { sha256 } = medium;
    const { maxBytes, log } = this.#options;
    await this.#open();
    if ((medium.bytes ?? 0) > maxBytes) {
      log(
        `A medium of ${medium.bytes} bytes is larger than MEDIA_CACHE_BYTES: it is fetched for each sub-job.`,
      );
      return this.#forOne(medium, fetching);
    }
    // Without a hash, a medium cannot be identified, because a server with new data restarts its ids.
    if (sha256 === undefined || !SHA256.test(sha256)) return this.#forOne(medium, fetching);
    for (;;) {
      const used = await this.#linkCached(sha256);
      if (used !== undefined) return used;
      await this.#fetchedOnce(sha256, medium, fetching);
    }
  }

  /** Opens the folder. Checks that no other user can write there, because the temporary folder is public and files could be faked. */
  async #open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = await stat(folder);
    const isOurs = uid === 0 || uid === userInfo().uid;
    if (isOurs && (mode & WRITABLE_BY_ALL) === 0) return;
    throw new OwnDiskError(
      `Other users may write into ${folder}, where media are kept: set MEDIA_CACHE_FOLDER to another folder.`,
    );
  }

  /** Links the stored file to a separate name, so that no other process deletes it during reading. */
  async #linkCached(key: string): Promise<LocalMedium | undefined> {
    const file = this.#file(key);
    const own = this.#file(`${this.#own}-${++this.#uses}`, IN_USE);
    try {
      // Touched first, so that no other process takes the new name for an abandoned one.
      await touch(file);
      await link(file, own);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      // File systems without links: the file is used directly.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error;
      return { path: file, isShared: false, close: () => Promise.resolve() };
    }
    return { path: own, isShared: false, close: inUse(own, this.#options.touchMs) };
  }

  /** Fetches the medium, or waits until another process has fetched it or failed. */
  async #fetchedOnce(key: string, medium: WorkMedium, fetching: Fetching): Promise<void> {
    const lock = this.#file(key, LOCK);
    if (!(await this.#takeLock(lock))) return this.#waitForOther(key, lock, fetching);
    const beat = setInterval(() => void touch(lock), TOLD_MS);
    try {
      // Another process may have completed it between the check and the lock.
      if (await exists(this.#file(key))) return;
      await makeRoom(this.#options, medium.bytes ?? 0);
      const part = await this.#part(key);
      await fetchMedium(this.#options.client, medium, part, throttleProgress(fetching));
      await this.#put(part, key);
      await makeRoom(this.#options, 0);
    } finally {
      clearInterval(beat);
      if ((await readFile(lock, 'utf8').catch(() => '')) === this.#own) await rm(lock, { force: true });
    }
  }

  /**
   * Moves the file to its final name. If the file is gone, another process considered this one dead and took it. The medium is then looked
   * up again, and fetched if missing.
   */
  async #put(part: string, key: string): Promise<void> {
    try {
      await rename(part, this.#file(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** Fetches a medium for one use: it exceeds the cache's size, or has no hash for a shared name. */
  async #forOne(medium: WorkMedium, fetching: Fetching): Promise<LocalMedium> {
    const path = this.#file(`${this.#own}-${++this.#uses}`, IN_USE);
    const close = inUse(path, this.#options.touchMs);
    try {
      await fetchMedium(this.#options.client, medium, path, throttleProgress(fetching));
    } catch (error) {
      await close();
      throw error;
    }
    return { path, isShared: false, close };
  }

  /** Takes the lock. False if another live process holds it. */
  async #takeLock(lock: string): Promise<boolean> {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(this.#own);
      await file.close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!(await isDead(lock))) return false;
    const aside = this.#file(`${this.#own}-${++this.#uses}`, '.dead');
    return (await takeDeadLock(lock, aside)) && this.#takeLock(lock);
  }

  async #waitForOther(key: string, lock: string, fetching: Fetching): Promise<void> {
    const { working } = throttleProgress(fetching);
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal: fetching.signal });
      working();
      if (await exists(this.#file(key))) return;
      if (!(await exists(lock)) || (await isDead(lock))) return;
    }
  }

  /** Returns the file to fetch into, with the data that a dead process has fetched. */
  async #part(key: string): Promise<string> {
    const part = this.#file(`${key}.${this.#own}`, PART);
    for (const name of await readdir(this.#options.folder))
      if (name.startsWith(`${key}.`) && name.endsWith(PART) && name !== key + PART) {
        const left = join(this.#options.folder, name);
        // Copied instead of renamed, because a process that was only frozen may still write to its file.
        await copyFile(left, part, constants.COPYFILE_FICLONE).catch(() => undefined);
        await rm(left, { force: true });
        break;
      }
    return part;
  }

  #file(name: string, ending = ''): string {
    return join(this.#options.folder, name + ending);
  }
}

/** True if the server's path has a readable file of the same size. Synchronous, because another thread costs many times as much. */
function isHere({ path, bytes }: WorkMedium): boolean {
  try {
    const found = statSync(path);
    if (!found.isFile() || (bytes !== undefined && found.size !== bytes)) return false;
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const exists = (path: string) => stat(path).then(() => true, () => false); // oxfmt-ignore

/** Limits how often progress is reported. */
function throttleProgress({ signal, working }: Fetching): Fetching {
  let last = performance.now();
  return {
    signal,
    working() {
      if (performance.now() - last < TOLD_MS) return;
      last = performance.now();
      working();
    },
  };
}
