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
  /** Of all media that are kept. */
  readonly maxBytes: number;
  /** Between two signs that a medium is still read; 30 s when absent. */
  readonly touchMs?: number;
  readonly client: Pick<WorkerClient, 'get'>;
  log(message: string): void;
}

/** A medium as a file of this host, until it is closed. */
export interface LocalMedium {
  readonly path: string;
  /** It lies where the server has it. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Between two looks at what another process fetches. */
const LOOK_MS = 100;
const TOLD_MS = 1_000;

const WRITABLE_BY_ALL = 0o002;
const LOCK = '.lock';
/** By it media are named: the same content is the same file, whichever server it comes from. */
const SHA256 = /^[\da-f]{64}$/;

export class MediaCache {
  readonly #options: MediaCacheOptions;
  readonly #own = `${process.pid}-${randomBytes(6).toString('hex')}`;
  #uses = 0;

  constructor(options: MediaCacheOptions) {
    this.#options = options;
  }

  /** Errors: COULD_NOT_OPEN_MEDIA, COULD_NOT_READ_MEDIA, OwnDiskError; those of the connection when the lease is lost. */
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
    // Nothing tells this medium from another one: a server whose data are new begins its ids anew.
    if (sha256 === undefined || !SHA256.test(sha256)) return this.#forOne(medium, fetching);
    for (;;) {
      const used = await this.#linkCached(sha256);
      if (used !== undefined) return used;
      await this.#fetchedOnce(sha256, medium, fetching);
    }
  }

  /** The temporary folder is everybody's: nobody else may put there what is taken for a medium. */
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

  /** What is there, under a name of its own: nobody else takes it away while it is read. */
  async #linkCached(key: string): Promise<LocalMedium | undefined> {
    const file = this.#file(key);
    const own = this.#file(`${this.#own}-${++this.#uses}`, IN_USE);
    try {
      // First: nobody is to take the new name for one that was left long ago.
      await touch(file);
      await link(file, own);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      // A file system without links: there it is used as it is.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error;
      return { path: file, isShared: false, close: () => Promise.resolve() };
    }
    return { path: own, isShared: false, close: inUse(own, this.#options.touchMs) };
  }

  /** Fetches it, or waits until another process has, or has given up. */
  async #fetchedOnce(key: string, medium: WorkMedium, fetching: Fetching): Promise<void> {
    const lock = this.#file(key, LOCK);
    if (!(await this.#takeLock(lock))) return this.#waitForOther(key, lock, fetching);
    const beat = setInterval(() => void touch(lock), TOLD_MS);
    try {
      // Another process may have had it done between the look and the lock.
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

  /** A part that is gone was taken by a process that held this one for dead: the medium is looked for again, and fetched if it is not there. */
  async #put(part: string, key: string): Promise<void> {
    try {
      await rename(part, this.#file(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** What is larger than all that is kept, or has no name by which others would find it. */
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

  /** False: another process that lives has it. */
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

  /** The file to be fetched into, with what one that died has fetched of it. */
  async #part(key: string): Promise<string> {
    const part = this.#file(`${key}.${this.#own}`, PART);
    for (const name of await readdir(this.#options.folder))
      if (name.startsWith(`${key}.`) && name.endsWith(PART) && name !== key + PART) {
        const left = join(this.#options.folder, name);
        // Not renamed: who was only frozen may write on into its own.
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

/** Where the server has it is a file of the same size that can be read. Asked of the system at once: another thread costs many times that. */
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

/** Passes on no more than one in a while. */
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
