/** Writes pictures of detections as PNG files, a few at a time. Each has a temporary name until it is complete. */
import { mkdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWhole } from '../../../../files/part-file.ts';
import { writePng, type Picture } from '../../../../media/picture/write-png.ts';

/** Maximum number of pictures that are encoded concurrently. */
const AT_A_TIME = 4;
/** Compression level. It takes half the time of the default, and files are a tenth larger. */
const COMPRESSION = 3;
/** Maximum number of whole frames whose URIs are cached. Frames that are evicted are written again. */
const REMEMBERED = 50_000;
/**
 * Minimum number of free bytes on the disk. Writing pictures stops there, because a job with a full disk can neither end nor be cancelled.
 */
const KEPT_FREE_BYTES = 16 * 1024 * 1024;

export class PictureFiles {
  readonly #keptFree: number;
  readonly #writing = new Set<Promise<void>>();
  readonly #once = new Map<string, string>();
  #folder = '';

  constructor(keptFreeBytes = KEPT_FREE_BYTES) {
    this.#keptFree = keptFreeBytes;
  }

  /** Starts writing a picture. Resolves when writing has started. `done` then receives its URI, or the error. */
  async write(path: string, picture: Picture, done: (uri: string | Error) => void): Promise<void> {
    while (this.#writing.size >= AT_A_TIME) await Promise.race(this.#writing);
    const writing = this.#attempt(path, picture, done).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Writes like `write`, but only once for pictures that several detections share. */
  async writeOnce(path: string, picture: Picture, done: (uri: string | Error) => void): Promise<void> {
    const known = this.#once.get(path);
    if (known !== undefined) return done(known);
    if (this.#once.size >= REMEMBERED) this.#once.clear();
    return this.write(path, picture, (uri) => {
      if (typeof uri === 'string') this.#once.set(path, uri);
      done(uri);
    });
  }

  /** Resolves when all started pictures are written. */
  async waitUntilWritten(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #attempt(path: string, picture: Picture, done: (uri: string | Error) => void): Promise<void> {
    try {
      done(await this.#write(path, picture));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #write(path: string, picture: Picture): Promise<string> {
    const folder = dirname(path);
    if (folder !== this.#folder) await mkdir(folder, { recursive: true });
    this.#folder = folder;
    await this.#findRoom(folder);
    await makeWhole(path, (part) => writePng(part, picture, COMPRESSION));
    return pathToFileURL(path).href;
  }

  /** Throws if too little space is left on the folder's disk. */
  async #findRoom(folder: string): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= this.#keptFree) return;
    const least = Math.round(this.#keptFree / 1024 / 1024);
    throw new Error(
      `The disk is nearly full (less than ${least} MiB are free): make room and run the job again.`,
    );
  }
}
