/** Reads single frames of videos in succession. A later frame continues with the open decoder. */
import { stat } from 'node:fs/promises';
import type { VideoReader } from '../../../media/video/video-frames.ts';
import { knownFrames } from '../../../protocol/known-frames.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { Frame } from '../../sdk/detector.ts';

/** Maximum number of open decoders. For large pictures, each takes some hundred megabytes. */
const MOST_OPEN = 2;
const IDLE_MS = 5_000;
/** Maximum distance in frames that is reached by decoding. Beyond it, a new reader begins at a key frame. */
const AHEAD = 32;

interface Reading {
  /** Identity of the file when it was opened. */
  readonly file: string;
  readonly frames: AsyncGenerator<Frame, void, undefined>;
  readonly stop: AbortController;
  close(): void;
  /** Number of the last frame that was read. */
  at: number;
  idle?: NodeJS.Timeout;
}

export interface FrameReaderOptions {
  readonly idleMs?: number;
  /** Called for each file that is opened. */
  onOpen?(path: string): void;
}

export class FrameReaders {
  readonly #options: FrameReaderOptions;
  /** Idle readers, with the most recently used one last. */
  #waiting: readonly Reading[] = [];

  constructor(options: FrameReaderOptions = {}) {
    this.#options = options;
  }

  /** Number of open idle decoders. */
  get open(): number {
    return this.#waiting.length;
  }

  /**
   * Calls `use` with the frame of this number. Its data are valid until `use` settles. Returns undefined if the frame cannot be read.
   * Throws errors of media that cannot be opened.
   */
  async use<T>(
    medium: WorkMedium,
    number: number,
    signal: AbortSignal,
    use: (frame: Frame) => Promise<T>,
  ): Promise<T | undefined> {
    const reading = await this.#readingOf(medium, number);
    const abort = () => reading.stop.abort(signal.reason);
    signal.addEventListener('abort', abort);
    let isWhole = false;
    try {
      const frame = await reachFrame(reading, number).catch(() => undefined);
      signal.throwIfAborted();
      if (frame === undefined) return undefined;
      const used = await use(frame);
      isWhole = true;
      return used;
    } finally {
      signal.removeEventListener('abort', abort);
      if (isWhole) this.#keep(reading);
      else reading.close();
    }
  }

  /** Returns the reader closest before the frame, or a new one. */
  async #readingOf(medium: WorkMedium, number: number): Promise<Reading> {
    const { mtimeMs, size, ino } = await stat(medium.path);
    const file = `${medium.path}\n${mtimeMs}\n${size}\n${ino}`;
    const near = this.#waiting
      .filter((one) => one.file === file && one.at < number && number - one.at <= AHEAD)
      .toSorted((a, b) => b.at - a.at)[0];
    if (near === undefined) return this.#openReading(file, medium, number);
    this.#waiting = this.#waiting.filter((one) => one !== near);
    clearTimeout(near.idle);
    return near;
  }

  async #openReading(file: string, medium: WorkMedium, number: number): Promise<Reading> {
    const { openVideo } = await import('../../../media/video/video-frames.ts');
    const stop = new AbortController();
    const range = { start: number, stop: Number.MAX_SAFE_INTEGER };
    const options = { range, known: knownFrames(medium), signal: stop.signal };
    const reader: VideoReader = await openVideo(medium.path, options);
    this.#options.onOpen?.(medium.path);
    return { file, frames: reader.frames(), stop, close: () => reader.close(), at: number - 1 };
  }

  #keep(reading: Reading): void {
    const { idleMs = IDLE_MS } = this.#options;
    reading.idle = setTimeout(() => this.#close(reading), idleMs).unref();
    this.#waiting = [...this.#waiting, reading];
    const [oldest] = this.#waiting;
    if (this.#waiting.length > MOST_OPEN) this.#close(oldest!);
  }

  #close(reading: Reading): void {
    clearTimeout(reading.idle);
    this.#waiting = this.#waiting.filter((one) => one !== reading);
    reading.close();
  }
}

/** Returns undefined if the frame does not exist or cannot be decoded. */
async function reachFrame(reading: Reading, number: number): Promise<Frame | undefined> {
  for (;;) {
    const { done, value } = await reading.frames.next();
    if (done === true) return undefined;
    reading.at = value.index;
    if (value.index === number) return value;
    if (value.index > number) return undefined;
  }
}
