/**
 * A frame-exact reader of videos.
 * Frames are numbered from 0 in presentation order. To reach a range in the middle, the reader seeks to a key frame before it and decodes
 * forward. Each decoded frame is numbered by its timestamp, so the result does not depend on where reading began. A damaged frame is left
 * out, and the others keep their numbers. If fewer than half of the requested frames can be read, reading ends with COULD_NOT_READ_MEDIA:
 * too little was processed to report "nothing found".
 * Decoding is synchronous (twice as fast as through promises). The event loop runs at least every 40 ms.
 */
import type { Frame as AvFrame } from 'node-av/lib';
import type { Frame, FrameSource } from '../../protocol/media-sources.ts';
import { EventLoopYield } from '../libav/container.ts';
import { CountedTimes } from './counted-times.ts';
import { constantNumbers, frameTimes, milliseconds, tabledNumbers } from './frame-numbers.ts';
import type { FrameNumbers } from './frame-numbers.ts';
import { MediumError } from '../medium-error.ts';
import { cachedScan, presentedTimes } from '../libav/packet-scan.ts';
import { RgbConverter } from '../picture/rgb.ts';
import { FramePicker, expectedFrames, createSampling } from './sampling.ts';
import type { Sampling, SamplingOptions } from './sampling.ts';
import { openCursor } from './video-cursor.ts';
import type { VideoCursor } from './video-cursor.ts';

/** Maximum distance from the beginning that is reached without seeking, in frames. */
const NEAR_FRAMES = 8;
/** Minimum gap between wanted frames in which seeking may be cheaper than decoding. */
const JUMP_FRAMES = 48;

export interface VideoOptions extends SamplingOptions {
  /** Results of inspection. With a constant rate, the reader need not scan all packets. */
  readonly known?:
    | { readonly fps: number; readonly constantRate: boolean; readonly length: number }
    | undefined;
  /** Number of decoder threads; 1 needs the least CPU time per frame. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a video. Throws COULD_NOT_OPEN_MEDIA if the format is unknown or has no picture stream, COULD_NOT_READ_MEDIA if nothing can be
 * decoded.
 */
export async function openVideo(path: string, options: VideoOptions = {}): Promise<VideoReader> {
  const cursor = await openCursor(path, options.threads, options.signal);
  try {
    const found = await numberFrames(cursor, options);
    // At a constant rate, a rate cap equals an interval.
    const sampled = options.known?.constantRate === true ? { ...options, rateCap: undefined } : options;
    const count = found instanceof CountedTimes ? undefined : found.count;
    return new VideoReader(cursor, found, createSampling(sampled, count ?? options.known?.length), options);
  } catch (error) {
    cursor.close();
    throw error;
  }
}

/** Chooses how frames are numbered. Frames that timestamps cannot distinguish are counted from the beginning. */
async function numberFrames(
  cursor: VideoCursor,
  { known, signal }: VideoOptions,
): Promise<FrameNumbers | CountedTimes> {
  const { timeBase, firstPts, container } = cursor;
  if (firstPts !== undefined && known?.constantRate === true && known.fps > 0)
    return constantNumbers(firstPts, timeBase, container.origin, known.fps, known.length);
  const scan = await cachedScan(container.path, signal);
  const pts = firstPts === undefined ? new Float64Array() : presentedTimes(scan, firstPts);
  if (!scan.complete || pts.length === 0) return new CountedTimes(cursor, scan);
  return tabledNumbers(pts, frameTimes(pts, cursor, { origin: container.origin }));
}

export class VideoReader implements FrameSource {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly start: number;
  readonly stop: number;
  #cursor: VideoCursor;
  readonly #numbers: FrameNumbers | undefined;
  readonly #counted: CountedTimes | undefined;
  readonly #options: VideoOptions;
  readonly #picker: FramePicker;
  readonly #rgb: RgbConverter;
  readonly #eventLoop: EventLoopYield;
  /** Frames before this timestamp may lack their references, because decoding began at it. */
  #trusted = -Infinity;
  /** Minimum gap in frames for which the reader seeks. */
  #jumpFrames = JUMP_FRAMES;
  #last = -1;
  /** Ticks from the origin of the medium to the last counted frame. */
  #ticks = 0;
  #delivered = 0;

  constructor(
    cursor: VideoCursor,
    found: FrameNumbers | CountedTimes,
    sampled: Sampling,
    options: VideoOptions,
  ) {
    this.#cursor = cursor;
    if (found instanceof CountedTimes) this.#counted = found;
    else this.#numbers = found;
    this.#options = options;
    this.#picker = new FramePicker(sampled, this.#numbers?.timeOf);
    this.width = cursor.width;
    this.height = cursor.height;
    this.#rgb = new RgbConverter(this.width, this.height);
    this.#eventLoop = new EventLoopYield(options.signal);
    this.fps = options.known?.fps ?? cursor.rates[0] ?? 0;
    this.start = sampled.start;
    this.stop = sampled.stop;
  }

  /** Yields the frames. May be called once per reader. Each frame overwrites the data of the previous one. */
  async *frames(): AsyncGenerator<Frame, void, undefined> {
    const { first, start, stop, keyFramesOnly } = this.#picker.sampling;
    try {
      if (stop < start) return;
      if (first > NEAR_FRAMES || keyFramesOnly)
        this.#cursor.keysOnly = (await this.#seek(first)) && keyFramesOnly;
      while (this.#last < stop) {
        const frame = this.#cursor.next();
        if (frame === 'end') break;
        if (this.#eventLoop.yieldIsDue()) await this.#eventLoop.yield();
        if (frame === 'more' || !this.#enter(frame)) continue;
        if (this.#picker.wants(this.#last, this.#cursor.keysOnly || frame.keyFrame === 1, this.#time()))
          yield this.#deliver(frame);
        await this.#jump();
      }
      this.#refuseIfHollow();
    } finally {
      this.close();
    }
  }

  /** Numbers the frame. Returns false if the frame is not new. */
  #enter(frame: AvFrame): boolean {
    const pts = Number(frame.pts);
    const number =
      this.#numbers === undefined ? this.#last + 1 : pts < this.#trusted ? -1 : this.#numbers.numberOf(pts);
    if (this.#counted !== undefined) this.#ticks = this.#counted.next(frame.bestEffortTimestamp);
    if (number <= this.#last) return false;
    this.#last = number;
    return true;
  }

  #deliver(frame: AvFrame): Frame {
    this.#rgb.convert(frame);
    const index = this.#last;
    const warmUp = index < this.start;
    if (!warmUp) this.#delivered++;
    return {
      index,
      time: this.#time(),
      width: this.width,
      height: this.height,
      data: this.#rgb.data,
      warmUp,
    };
  }

  /** Display time of the last frame in milliseconds. */
  #time(): number {
    return this.#numbers?.timeOf(this.#last) ?? milliseconds(this.#ticks * this.#cursor.timeBase);
  }

  /** Seeks past a long gap of unwanted frames. If a seek skips no frame, only gaps of at least twice the length are tried later. */
  async #jump(): Promise<void> {
    const next = this.#picker.next(this.#last);
    const gap = next - this.#last;
    if (next > this.stop || gap < this.#jumpFrames) return;
    if (!(await this.#seek(next))) this.#jumpFrames = Infinity;
    else if ((this.#numbers?.numberOf(this.#trusted) ?? -1) <= this.#last) this.#jumpFrames = 2 * gap;
  }

  /**
   * Begins decoding at a key frame at or before `frame`. Returns false if decoding begins at the start of the video. Containers seek by
   * decoding time or by estimate. The result is therefore checked, and after a wrong seek the reader seeks further back.
   */
  async #seek(frame: number): Promise<boolean> {
    const numbers = this.#numbers;
    if (numbers === undefined) return false;
    for (let back = 0; back < frame * 8 + 64; back = back * 8 + 8) {
      const key = this.#cursor.seek(numbers.ptsOf(Math.max(0, frame - back)));
      const number = key === undefined ? -1 : numbers.numberOf(key);
      if (key !== undefined && number >= 0 && number <= frame) {
        this.#trusted = key;
        return true;
      }
    }
    this.#cursor.close();
    this.#cursor = await openCursor(this.#cursor.container.path, this.#options.threads, this.#options.signal);
    this.#trusted = -Infinity;
    return false;
  }

  #refuseIfHollow(): void {
    const expected = expectedFrames(this.#picker.sampling);
    if (this.#delivered * 2 >= expected) return;
    throw new MediumError(
      'COULD_NOT_READ_MEDIA',
      `Only ${this.#delivered} of ${expected} frames from frame ${this.start} on could be read: the medium is truncated or damaged.`,
    );
  }

  close(): void {
    this.#cursor.close();
    this.#rgb.close();
  }
}
