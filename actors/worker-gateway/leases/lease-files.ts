/**
 * Files from components on other hosts. The server stores them where a component on this host would write them, so that answers name both
 * in the same way.
 */
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { StoredFile } from '../../../protocol/worker-messages.ts';
import { pathOf } from '../../../results/file-keys.ts';
import { receiveFile } from '../../../results/receive-file.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import { MinimumRate } from '../../uploads/minimum-rate.ts';
import { attemptFolder, rowOf } from './assignments.ts';
import { LeaseSizes } from './lease-sizes.ts';

export interface LeaseFileDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly dataDir: string;
  /** Part of the names of incomplete files, so that two servers that share the folder never write to the same file. */
  readonly serverId: string;
  readonly heartbeatMs: number;
  readonly settings: {
    /** Maximum number of files of one lease. */
    readonly maxFiles: number;
    readonly maxFileBytes: number;
    /** Maximum size of all files of a lease. */
    readonly maxBytes: number;
    readonly minFreeBytes: number;
    /** Time within which more bytes of a file must arrive. */
    readonly paceMs: number;
  };
}

/** `full`: the lease has reached its limit. `noRoom`: the disk is nearly full. `refused`: the sub-job creates no files. */
export type LeaseFileOutcome =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused' | 'full' | 'noRoom' | 'broken'; readonly message: string };
type Refusal = Exclude<LeaseFileOutcome, { readonly kind: 'stored' | 'lost' }>;

class Refused extends Error {
  readonly refusal: Refusal;
  constructor(kind: Refusal['kind'], message: string) {
    super(message);
    this.refusal = { kind, message };
  }
}

/** Maximum number of leases whose sizes are in memory. Sizes of other leases are read from their folders. */
const KNOWN_LEASES = 1_000;
/** Number of bytes after which the free space of the disk is checked again. */
const LOOK_AGAIN = 64 * 1024 * 1024;
const NO_FILES = 'This sub-job makes no files: only those on documents do (work.outputFolder).';
const NO_ROOM = 'The disk of the server is nearly full; files are not accepted until there is space.';

export class LeaseFiles {
  readonly #deps: LeaseFileDeps;
  readonly #known = new LRUCache<string, Promise<LeaseSizes>>({ max: KNOWN_LEASES });
  #arrivals = 0;

  constructor(deps: LeaseFileDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a file with a plain name from the worker that has the lease. A repeated file replaces the first. `length`: the announced length.
   */
  async store(
    token: string,
    worker: string,
    name: string,
    { source, length = 0 }: { readonly source: Readable; readonly length?: number | undefined },
  ): Promise<LeaseFileOutcome> {
    const { store } = this.#deps;
    const lease = await store.work.look(token, worker);
    if (typeof lease === 'string') return { kind: 'lost' };
    const { kind } = lease.item;
    const work = kind === 'DETECT' ? (await rowOf(store, lease.item))?.work : undefined;
    const planned =
      work !== null && work !== undefined && 'outputFolder' in work ? work.outputFolder : undefined;
    if (planned === undefined) return { kind: 'refused', message: NO_FILES };
    const folder = pathOf(this.#deps.dataDir, attemptFolder(planned, token));
    try {
      return await this.#receive({ token, worker, name, source, length, folder });
    } catch (error) {
      return refusalOf(error, source);
    }
  }

  async #receive(given: {
    readonly token: string;
    readonly worker: string;
    readonly name: string;
    readonly source: Readable;
    readonly length: number;
    readonly folder: string;
  }): Promise<LeaseFileOutcome> {
    const { token, worker, name, source, length, folder } = given;
    const { clock, settings, store, serverId } = this.#deps;
    await mkdir(folder, { recursive: true });
    const sizes = await this.#sizesOf(token, folder);
    const number = ++this.#arrivals;
    const rate = new MinimumRate(clock, settings.paceMs, () => source.destroy());
    // Names from components never begin with a dot.
    const arrival = path.join(folder, `.${serverId}-${number}`);
    try {
      this.#reserve(sizes, name, number, length);
      await this.#lookAtDisk(folder, length);
      const grows = this.#onGrowth({ token, sizes, name, number, folder });
      const received = await receiveFile(source, arrival, (bytes) => {
        rate.noteBytes(bytes);
        return grows(bytes);
      });
      if (typeof (await store.work.look(token, worker)) === 'string') throw new Lost();
      const final = path.join(folder, name);
      await rename(arrival, final);
      sizes.setStored(name, received.bytes);
      return { kind: 'stored', file: { path: final, ...received } };
    } catch (error) {
      await rm(arrival, { force: true });
      if (error instanceof Lost) return { kind: 'lost' };
      throw error;
    } finally {
      sizes.over(name, number);
      rate.end();
    }
  }

  /** Returns a function that is called with the number of received bytes of a file. Received bytes count as progress of the sub-job. */
  #onGrowth(given: {
    readonly token: string;
    readonly sizes: LeaseSizes;
    readonly name: string;
    readonly number: number;
    readonly folder: string;
  }): (bytes: number) => Promise<void> {
    const { token, sizes, name, number, folder } = given;
    const { clock, store, heartbeatMs } = this.#deps;
    let told = clock.steady();
    let looked = 0;
    return async (bytes) => {
      if (bytes > sizes.markArrived(name, number)) this.#reserve(sizes, name, number, bytes);
      if (bytes - looked > LOOK_AGAIN) {
        looked = bytes;
        await this.#lookAtDisk(folder, 0);
      }
      if (clock.steady() - told < heartbeatMs) return;
      told = clock.steady();
      await store.work.noteArrival(token, false);
    };
  }

  /** Reserves bytes, so that two simultaneous files never exceed the limits together. */
  #reserve(sizes: LeaseSizes, name: string, number: number, bytes: number): void {
    const { maxFiles, maxFileBytes, maxBytes } = this.#deps.settings;
    if (bytes > maxFileBytes) throw new Refused('full', `The file is larger than ${maxFileBytes} bytes.`);
    if (!sizes.has(name) && sizes.count >= maxFiles)
      throw new Refused('full', `The sub-job has made ${maxFiles} files, which is the limit.`);
    const others = sizes.total - sizes.of(name);
    if (others + bytes > maxBytes)
      throw new Refused(
        'full',
        `The files of the sub-job have ${others} of ${maxBytes} bytes, which is the limit.`,
      );
    sizes.noteArrival(name, number, bytes);
  }

  async #sizesOf(token: string, folder: string): Promise<LeaseSizes> {
    const reading = this.#known.get(token) ?? sizesIn(folder);
    this.#known.set(token, reading);
    try {
      return await reading;
    } catch (error) {
      this.#known.delete(token);
      throw error;
    }
  }

  async #lookAtDisk(folder: string, coming: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - coming < this.#deps.settings.minFreeBytes) throw new Refused('noRoom', NO_ROOM);
  }
}

class Lost extends Error {}

/** Returns the sizes of files that an earlier server has received. */
async function sizesIn(folder: string): Promise<LeaseSizes> {
  const sizes = new LeaseSizes();
  for (const name of await readdir(folder))
    if (!name.startsWith('.')) sizes.setStored(name, (await stat(path.join(folder, name))).size);
  return sizes;
}

function refusalOf(error: unknown, source: Readable): Refusal {
  if (error instanceof Refused) return error.refusal;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return { kind: 'noRoom', message: NO_ROOM };
  if (source.errored !== null || source.destroyed)
    return { kind: 'broken', message: 'The file is incomplete.' };
  throw error;
}
