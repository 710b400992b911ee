/**
 * Which frames of a range are processed (behaviour of FRAME_INTERVAL, USE_KEY_FRAMES and warm-up frames), or which
 * single ones.
 */
import type { Range } from '../../domain/types.ts';

export interface SamplingOptions {
  /** Inclusive frames that are reported on; the whole video when absent. */
  readonly range?: Range | undefined;
  /** Look back so many frames before the range, for warm-up; 0 when absent. */
  readonly contextFrames?: number | undefined;
  /** Every n-th frame, counted from the start of the range; 1 when absent or smaller. */
  readonly interval?: number | undefined;
  /** At most so many frames a second of media time, in place of `interval`, where frames follow each other unevenly. */
  readonly rateCap?: number | undefined;
  /** Frames just before the range are sampled as well, by somebody else: a stretch that begins among them has its frame already. */
  readonly continues?: boolean | undefined;
  /** Only I-frames, of which `interval` takes every n-th, or `rateCap` the first of each stretch of time. */
  readonly keyFramesOnly?: boolean | undefined;
  /** These frames and no others, ascending, each once; in place of all of the above. */
  readonly frames?: readonly number[] | undefined;
}

export interface Sampling {
  readonly start: number;
  readonly stop: number;
  readonly interval: number;
  readonly keyFramesOnly: boolean;
  /** Milliseconds of media time of which one frame is wanted, the first that is shown in them. */
  readonly slotMs?: number;
  readonly continues: boolean;
  /** The first frame to be delivered, warm-up included. */
  readonly first: number;
  /** Single frames that are asked for, all of them within the video. */
  readonly frames?: readonly number[];
}

/** `count` is the number of frames of the video, when known. */
export function createSampling(options: SamplingOptions, count: number | undefined): Sampling {
  const last = count === undefined ? Number.MAX_SAFE_INTEGER : count - 1;
  if (options.frames !== undefined) return singleFrames(options.frames, last);
  const start = Math.max(0, options.range?.start ?? 0);
  const stop = Math.min(last, options.range?.stop ?? last);
  const interval = Math.max(1, Math.floor(options.interval ?? 1));
  const keyFramesOnly = options.keyFramesOnly ?? false;
  const lookBack = Math.min(Math.max(0, options.contextFrames ?? 0), start);
  const common = { start, stop, interval, keyFramesOnly, continues: options.continues ?? false };
  if (options.rateCap !== undefined && options.rateCap > 0)
    return { ...common, first: start - lookBack, slotMs: 1000 / options.rateCap };
  const first = keyFramesOnly ? start - lookBack : start - Math.floor(lookBack / interval) * interval;
  return { ...common, first };
}

function singleFrames(wanted: readonly number[], last: number): Sampling {
  const frames = wanted.filter((frame) => frame >= 0 && frame <= last);
  const start = frames[0] ?? 0;
  const stop = frames.at(-1) ?? -1;
  return { start, stop, interval: 1, keyFramesOnly: false, continues: false, first: start, frames };
}

/** Frames that a reader must deliver at the least; unknown (0) where that depends on where the encoder put I-frames, or on times. */
export function expectedFrames(of: Sampling): number {
  const { start, stop, interval, keyFramesOnly, continues, frames, slotMs } = of;
  if (frames !== undefined) return frames.length;
  if (slotMs !== undefined) return stop < start || keyFramesOnly || continues ? 0 : 1;
  if (keyFramesOnly || stop < start || stop === Number.MAX_SAFE_INTEGER) return 0;
  return Math.floor((stop - start) / interval) + 1;
}

/** Decides frame by frame, in ascending order; `next` is the first frame that can be wanted again. */
export class FramePicker {
  readonly sampling: Sampling;
  #keyFrames = 0;
  /** Index of the first single frame that can be wanted again. */
  #at = 0;
  /** The stretch of media time that the frame before, or the last key frame, lies in. */
  #slot = -1;
  readonly #timeOf: ((frame: number) => number) | undefined;
  /** `timeOf`: milliseconds of any frame, where they are known beforehand. */
  constructor(of: Sampling, timeOf?: (frame: number) => number) {
    this.sampling = of;
    this.#timeOf = timeOf;
  }

  /** `time` in milliseconds. */
  wants(frame: number, isKeyFrame: boolean, time: number): boolean {
    const { first, stop, interval, keyFramesOnly, frames, slotMs } = this.sampling;
    if (frames !== undefined) return this.#from(frame, frames) === frame;
    if (keyFramesOnly) return isKeyFrame && frame >= first && frame <= stop && this.#takesKey(frame, time);
    if (slotMs !== undefined) return this.#beginsSlot(frame, time, slotMs) && frame >= first && frame <= stop;
    return frame >= first && frame <= stop && (frame - first) % interval === 0;
  }

  /** The first wanted frame after `frame`. */
  next(frame: number): number {
    const { first, interval, keyFramesOnly, frames, slotMs } = this.sampling;
    if (frames !== undefined) return this.#from(frame + 1, frames);
    if (frame < first) return first;
    if (keyFramesOnly) return frame + 1;
    if (slotMs !== undefined) return this.#nextSlot(frame, slotMs);
    return first + (Math.floor((frame - first) / interval) + 1) * interval;
  }

  #takesKey(frame: number, time: number): boolean {
    const { start, interval, slotMs } = this.sampling;
    if (frame < start) return true;
    if (slotMs === undefined) return this.#keyFrames++ % interval === 0;
    const before = this.#slot;
    this.#slot = slotOf(time, slotMs);
    return this.#slot !== before;
  }

  /**
   * Stretches count from the start of the medium, so that a frame is wanted wherever reading began. The first frame of a range
   * is wanted in any case, unless the range continues another one.
   */
  #beginsSlot(frame: number, time: number, slotMs: number): boolean {
    const slot = slotOf(time, slotMs);
    const before =
      this.#timeOf === undefined || frame === 0 ? this.#slot : slotOf(this.#timeOf(frame - 1), slotMs);
    this.#slot = slot;
    return this.#isFirst(frame) || slot !== before;
  }

  #isFirst(frame: number): boolean {
    const { start, continues } = this.sampling;
    return frame === 0 || (frame === start && !continues);
  }

  #nextSlot(frame: number, slotMs: number): number {
    const { stop } = this.sampling;
    const timeOf = this.#timeOf;
    if (timeOf === undefined) return frame + 1;
    const slot = slotOf(timeOf(frame), slotMs);
    let next = frame + 1;
    while (next <= stop && !this.#isFirst(next) && slotOf(timeOf(next), slotMs) === slot) next++;
    return next;
  }

  /** The first single frame from `frame` on; beyond all frames when there is none. */
  #from(frame: number, frames: readonly number[]): number {
    while ((frames[this.#at] ?? Infinity) < frame) this.#at++;
    return frames[this.#at] ?? Infinity;
  }
}

/** Times are whole milliseconds, rounded down: the summand undoes that where a stretch begins between two of them. */
function slotOf(time: number, slotMs: number): number {
  return Math.floor((time + 1) / slotMs - 1e-9);
}
