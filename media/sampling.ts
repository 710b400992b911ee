/** Which frames of a range are looked at (behaviour of FRAME_INTERVAL, USE_KEY_FRAMES and warm-up frames). */
import type { Range } from '../pipeline/types.ts';

export interface SamplingOptions {
  /** Inclusive frames that are reported on; the whole video when absent. */
  readonly range?: Range | undefined;
  /** Look back so many frames before the range, for warm-up; 0 when absent. */
  readonly contextFrames?: number | undefined;
  /** Every n-th frame, counted from the start of the range; 1 when absent or smaller. */
  readonly interval?: number | undefined;
  /** Only I-frames, of which `interval` takes every n-th. */
  readonly keyFramesOnly?: boolean | undefined;
}

export interface Sampling {
  readonly start: number;
  readonly stop: number;
  readonly interval: number;
  readonly keyFramesOnly: boolean;
  /** The first frame to be delivered, warm-up included. */
  readonly first: number;
}

/** `count` is the number of frames of the video, when known. */
export function sampling(options: SamplingOptions, count: number | undefined): Sampling {
  const last = count === undefined ? Number.MAX_SAFE_INTEGER : count - 1;
  const start = Math.max(0, options.range?.start ?? 0);
  const stop = Math.min(last, options.range?.stop ?? last);
  const interval = Math.max(1, Math.floor(options.interval ?? 1));
  const keyFramesOnly = options.keyFramesOnly ?? false;
  const lookBack = Math.min(Math.max(0, options.contextFrames ?? 0), start);
  const first = keyFramesOnly ? start - lookBack : start - Math.floor(lookBack / interval) * interval;
  return { start, stop, interval, keyFramesOnly, first };
}

/** Frames that a reader must deliver at the least; unknown (0) for I-frames, which are where the encoder put them. */
export function expectedFrames({ start, stop, interval, keyFramesOnly }: Sampling): number {
  if (keyFramesOnly || stop < start || stop === Number.MAX_SAFE_INTEGER) return 0;
  return Math.floor((stop - start) / interval) + 1;
}

/** Decides frame by frame, in ascending order; `next` is the first frame that can be wanted again. */
export class FramePicker {
  readonly sampling: Sampling;
  #keyFrames = 0;
  constructor(of: Sampling) {
    this.sampling = of;
  }

  wants(frame: number, isKeyFrame: boolean): boolean {
    const { first, start, stop, interval, keyFramesOnly } = this.sampling;
    if (frame < first || frame > stop) return false;
    if (!keyFramesOnly) return (frame - first) % interval === 0;
    if (!isKeyFrame) return false;
    if (frame < start) return true;
    return this.#keyFrames++ % interval === 0;
  }

  /** The first wanted frame after `frame`. */
  next(frame: number): number {
    const { first, interval, keyFramesOnly } = this.sampling;
    if (frame < first) return first;
    if (keyFramesOnly) return frame + 1;
    return first + (Math.floor((frame - first) / interval) + 1) * interval;
  }
}
