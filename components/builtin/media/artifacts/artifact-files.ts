/** Writes pictures of detections as PNG files, a few at a time, each under a temporary name until it is whole. */
import { mkdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWhole } from '../../../../files/part-file.ts';
import { writePng, type Picture } from '../../../../media/picture/write-png.ts';

/** Pictures that are encoded at the same time. */
const AT_A_TIME = 4;
/** A fast level: half the time of the default one, for files that are a tenth larger. */
const COMPRESSION = 3;
/** Whole frames that are remembered; one that was forgotten is written once more. */
const REMEMBERED = 50_000;
/** Pictures stop so many bytes before the disk is full: a job that takes the last byte can neither end nor be cancelled. */
const KEPT_FREE_BYTES = 16 * 1024 * 1024;

export class PictureFiles {
  readonly #keptFree: number;
  readonly #writing = new Set<Promise<void>>();
  readonly #once = new Map<string, string>();
  #folder = '';

  constructor(keptFreeBytes = KEPT_FREE_BYTES) {
    this.#keptFree = keptFreeBytes;
  }

  /** Resolves when the picture is in hand, not when it is written; `done` is then told its URI, or why there is none. */
  async write(path: string, picture: Picture, done: (uri: string | Error) => void): Promise<void> {
    while (this.#writing.size >= AT_A_TIME) await Promise.race(this.#writing);
    const writing = this.#attempt(path, picture, done).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Like `write`, for a picture that several ask for, one after the other. */
  async writeOnce(path: string, picture: Picture, done: (uri: string | Error) => void): Promise<void> {
    const known = this.#once.get(path);
    if (known !== undefined) return done(known);
    if (this.#once.size >= REMEMBERED) this.#once.clear();
    return this.write(path, picture, (uri) => {
      if (typeof uri === 'string') this.#once.set(path, uri);
      done(uri);
    });
  }

  /** When all that were begun are done. */
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

  /** Errors: when too little is left on the disk of the folder. */
  async #findRoom(folder: string): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= this.#keptFree) return;
    const least = Math.round(this.#keptFree / 1024 / 1024);
    throw new Error(
      `The disk is nearly full (less than ${least} MiB are free): make room and run the job again.`,
    );
  }
}
