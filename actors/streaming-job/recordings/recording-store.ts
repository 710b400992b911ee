/**
 * Stores the recordings of live streams. Each job has its own folder. The oldest files are removed if there are too many bytes, if they are
 * too old, or if the disk is nearly full. Errors here never affect the stream.
 */
import { mkdir, readdir, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from '../../../config/logger.ts';
import { removeFolder } from '../../../files/remove.ts';
import { MAX_FRAGMENT_BYTES, type RecordedFragment } from '../../../protocol/stream-fragments.ts';
import { recordingFolder, recordingsRoot } from '../../../results/layout.ts';
import { receiveFile } from '../../../results/receive-file.ts';
import {
  endOf,
  fragmentPath,
  fragmentsOfHour,
  hourOf,
  recordedHours,
} from '../../../results/recording/fragment-files.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import type { StreamingJobRecord } from '../state.ts';
import { storedStream } from '../stored-stream.ts';

export interface RecordingStoreDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Free bytes of the disk below which the oldest recordings are removed. */
  readonly minFreeBytes: number;
  /** Returns the free bytes. If undefined, the disk of DATA_DIR is measured. */
  readonly freeBytes?: () => Promise<number>;
}

export type RecordingOutcome = 'stored' | 'broken' | 'tooLarge' | 'noRoom';

const DAY_MS = 86_400_000;
/** Time after which files are counted again, because other servers also remove some. */
const COUNT_AGAIN_MS = 600_000;
/** Number of fragments that are removed together if there is no room. */
const REMOVED_AT_ONCE = 10;

class TooLarge extends Error {}

interface Counted {
  bytes: number;
  readonly at: number;
}

export class RecordingStore {
  readonly #deps: RecordingStoreDeps;
  readonly #counted = new Map<number, Counted>();
  readonly #lookedAt = new Map<number, number>();

  constructor(deps: RecordingStoreDeps) {
    this.#deps = deps;
  }

  /** Stores a fragment of a recorded job. A repeated fragment replaces the first. */
  async accept(
    record: Pick<StreamingJobRecord, 'number' | 'recording'>,
    fragment: RecordedFragment,
    body: Readable,
  ): Promise<RecordingOutcome> {
    const { number, recording } = record;
    if (recording === undefined) return 'stored';
    const folder = recordingFolder(this.#deps.dataDir, number);
    const path = fragmentPath(folder, fragment);
    if (!(await this.#hasRoom())) return 'noRoom';
    try {
      await mkdir(join(folder, String(hourOf(fragment.at))), { recursive: true });
      const { bytes } = await receiveFile(body, path, (size) => {
        if (size > MAX_FRAGMENT_BYTES) throw new TooLarge();
      });
      await this.#limit(number, bytes, recording);
      return 'stored';
    } catch (error) {
      return this.#outcomeOf(error, body);
    }
  }

  /** Returns the bytes of all files of a job. */
  async bytesOf(number: number): Promise<number> {
    return (await this.#countOf(number)).bytes;
  }

  /** Removes files that are older than their job allows, and files without a job. */
  async removeOld(): Promise<void> {
    const { store, dataDir } = this.#deps;
    for (const name of await readdir(recordingsRoot(dataDir)).catch(() => [])) {
      const number = Number(name);
      if (!Number.isSafeInteger(number)) continue;
      const recording = (await storedStream(store, number))?.record.recording;
      if (recording === undefined) await removeFolder(recordingFolder(dataDir, number));
      else await this.#removeOlder(number, recording.days);
    }
  }

  #outcomeOf(error: unknown, body: Readable): RecordingOutcome {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof TooLarge) return 'tooLarge';
    if (code === 'ENOSPC' || code === 'EDQUOT') return 'noRoom';
    if (body.errored !== null || body.destroyed) return 'broken';
    throw error;
  }

  async #limit(
    number: number,
    bytes: number,
    { bytes: most, days }: { readonly bytes: number; readonly days: number },
  ): Promise<void> {
    const { clock } = this.#deps;
    const counted = await this.#countOf(number, bytes);
    while (counted.bytes > most) {
      const removed = await this.#removeOldest(number);
      if (removed === undefined) break;
      counted.bytes -= removed;
    }
    if (clock.steady() - (this.#lookedAt.get(number) ?? -Infinity) < COUNT_AGAIN_MS) return;
    this.#lookedAt.set(number, clock.steady());
    await this.#removeOlder(number, days);
  }

  /** `more`: bytes of a file that was stored since the last count. */
  async #countOf(number: number, more = 0): Promise<Counted> {
    const known = this.#counted.get(number);
    const now = this.#deps.clock.steady();
    if (known !== undefined && now - known.at < COUNT_AGAIN_MS) {
      known.bytes += more;
      return known;
    }
    const counted = { bytes: await bytesIn(recordingFolder(this.#deps.dataDir, number)), at: now };
    this.#counted.set(number, counted);
    return counted;
  }

  /** Removes the oldest recordings of all jobs until there is room. Returns false if nothing is left to remove. */
  async #hasRoom(): Promise<boolean> {
    const { minFreeBytes, logger } = this.#deps;
    for (let isTold = false; (await this.#freeBytes()) < minFreeBytes; isTold = true) {
      if (!isTold)
        logger.warn({ minFreeBytes }, 'the disk is nearly full: the oldest recordings are removed');
      if (!(await this.#removeOldestOfAll())) return false;
    }
    return true;
  }

  async #freeBytes(): Promise<number> {
    const { freeBytes, dataDir } = this.#deps;
    if (freeBytes !== undefined) return freeBytes();
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  }

  async #removeOldestOfAll(): Promise<boolean> {
    const { dataDir } = this.#deps;
    let oldest: { readonly number: number; readonly hour: number } | undefined;
    for (const name of await readdir(recordingsRoot(dataDir)).catch(() => [])) {
      const [hour] = await recordedHours(recordingFolder(dataDir, Number(name)));
      if (hour !== undefined && hour < (oldest?.hour ?? Infinity)) oldest = { number: Number(name), hour };
    }
    if (oldest === undefined) return false;
    let removed = 0;
    for (let n = 0; n < REMOVED_AT_ONCE; n++) removed += (await this.#removeOldest(oldest.number)) ?? 0;
    const counted = this.#counted.get(oldest.number);
    if (counted !== undefined) counted.bytes -= removed;
    return true;
  }

  /** Removes the oldest fragment and returns its bytes. Returns undefined if there is none. */
  async #removeOldest(number: number): Promise<number | undefined> {
    const folder = recordingFolder(this.#deps.dataDir, number);
    for (const hour of await recordedHours(folder)) {
      const [first] = await fragmentsOfHour(folder, hour);
      if (first === undefined) {
        // An hour without fragments may contain incomplete files.
        await rm(join(folder, String(hour)), { recursive: true, force: true });
        continue;
      }
      const bytes = (await stat(first.path).catch(() => undefined))?.size ?? 0;
      await rm(first.path, { force: true });
      await rmdir(join(folder, String(hour))).catch(() => undefined);
      return bytes;
    }
    return undefined;
  }

  async #removeOlder(number: number, days: number): Promise<void> {
    const folder = recordingFolder(this.#deps.dataDir, number);
    const before = this.#deps.clock.now() - days * DAY_MS;
    for (const hour of await recordedHours(folder)) {
      if (hour > hourOf(before)) return;
      const isOver = hour < hourOf(before);
      if (isOver) await rm(join(folder, String(hour)), { recursive: true, force: true });
      else
        for (const one of await fragmentsOfHour(folder, hour))
          if (endOf(one) < before) await rm(one.path, { force: true });
    }
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const hour of await recordedHours(folder))
    for (const { path } of await fragmentsOfHour(folder, hour))
      bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  return bytes;
}
