/** Selects the frames of a range that are processed (FRAME_INTERVAL, USE_KEY_FRAMES and warm-up frames), or single frames. */
import type { Range } from '../../domain/types.ts';

export interface SamplingOptions {
  /** Range of frames to report on, inclusive; the whole video if undefined. */
  readonly range?: Range | undefined;
  /** Number of warm-up frames before the range; 0 if undefined. */
  readonly contextFrames?: number | undefined;
  /** Selects every n-th frame, counted from the start of the range; 1 if undefined or smaller. */
  readonly interval?: number | undefined;
  /** Maximum number of frames per second of media time, instead of `interval`, for frames with uneven times. */
  readonly rateCap?: number | undefined;
  /** True if another reader samples the frames before the range. The first slot may then already have its frame. */
  readonly continues?: boolean | undefined;
  /** True to select only I-frames: every n-th by `interval`, or by `rateCap` the first in each time slot. */
  readonly keyFramesOnly?: boolean | undefined;
  /** Selects only these frames, ascending and without repetition, instead of all options above. */
  readonly frames?: readonly number[] | undefined;
}

export interface Sampling {
  readonly start: number;
  readonly stop: number;
  readonly interval: number;
  readonly keyFramesOnly: boolean;
  /** Length of a time slot in milliseconds of media time. The first frame in each slot is wanted. */
  readonly slotMs?: number;
  readonly continues: boolean;
  /** The first frame to deliver, including warm-up. */
  readonly first: number;
  /** The single frames that are requested. All are within the video. */
  readonly frames?: readonly number[];
}

/** Creates a sampling. `count` is the number of frames in the video, if known. */
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

/** Minimum number of frames that a reader must deliver. Returns 0 (unknown) if the number depends on I-frames or times. */
export function expectedFrames(of: Sampling): number {
  const { start, stop, interval, keyFramesOnly, continues, frames, slotMs } = of;
  if (frames !== undefined) return frames.length;
  if (slotMs !== undefined) return stop < start || keyFramesOnly || continues ? 0 : 1;
  if (keyFramesOnly || stop < start || stop === Number.MAX_SAFE_INTEGER) return 0;
  return Math.floor((stop - start) / interval) + 1;
}

/** Decides about frames in ascending order. `next` returns the next frame that may be wanted. */
export class FramePicker {
  readonly sampling: Sampling;
  #keyFrames = 0;
  /** Index of the first single frame that may still be wanted. */
  #at = 0;
  /** Time slot of the previous frame or the last key frame. */
  #slot = -1;
  readonly #timeOf: ((frame: number) => number) | undefined;
  /** `timeOf`: returns milliseconds of any frame, if known beforehand. */
  constructor(of: Sampling, timeOf?: (frame: number) => number) {
    this.sampling = of;
    this.#timeOf = timeOf;
  }

  /** True if the frame is wanted. `time` is in milliseconds. */
  wants(frame: number, isKeyFrame: boolean, time: number): boolean {
    const { first, stop, interval, keyFramesOnly, frames, slotMs } = this.sampling;
    if (frames !== undefined) return this.#from(frame, frames) === frame;
    if (keyFramesOnly) return isKeyFrame && frame >= first && frame <= stop && this.#takesKey(frame, time);
    if (slotMs !== undefined) return this.#beginsSlot(frame, time, slotMs) && frame >= first && frame <= stop;
    return frame >= first && frame <= stop && (frame - first) % interval === 0;
  }

  /** Returns the first frame after `frame` that may be wanted. */
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
   * True if the frame is the first in its slot. Slots count from the start of the medium, so the result does not depend on where reading
   * began. The first frame of a range is always wanted, unless the range continues another one.
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

  /** Returns the first single frame from `frame` on; Infinity if there is none. */
  #from(frame: number, frames: readonly number[]): number {
    while ((frames[this.#at] ?? Infinity) < frame) this.#at++;
    return frames[this.#at] ?? Infinity;
  }
}

/**
 * Returns the slot of a time. Times are whole milliseconds, rounded down. The summand compensates this if a slot begins between two
 * milliseconds.
 */
function slotOf(time: number, slotMs: number): number {
  return Math.floor((time + 1) / slotMs - 1e-9);
}
