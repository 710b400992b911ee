/**
 * Maps presentation timestamps to frame numbers, which count from 0 in presentation order. The table comes from packets without decoding,
 * or from the rate alone if inspection found it constant.
 */
import { plausibleRate } from '../../domain/frames/frame-times.ts';
import type { FrameTimes } from '../../domain/types.ts';
import type { VideoCursor } from './video-cursor.ts';
import { firstIndex } from '../../domain/first-index.ts';

type FrameClock = Pick<VideoCursor, 'timeBase' | 'rates' | 'hasSlots'>;

/** Conversions between frame numbers and timestamps (ticks of the stream). */
export interface FrameNumbers {
  /** Returns -1 if no frame has this timestamp. */
  numberOf(pts: number): number;
  ptsOf(frame: number): number;
  /** Milliseconds from the start of the medium. */
  timeOf(frame: number): number;
  /** Number of frames in the video; undefined if unknown. */
  readonly count: number | undefined;
}

/** Maximum deviation of a frame from its place at a constant rate, in frames. */
const TOLERANCE = 0.3;
const TINY = 1e-6;

/** Creates numbers from a table of all timestamps. */
export function tabledNumbers(pts: Float64Array, times: FrameTimes): FrameNumbers {
  return {
    count: pts.length,
    numberOf: (value) => {
      const at = firstIndex(pts.length, (i) => pts[i]! >= value);
      return pts[at] === value ? at : -1;
    },
    ptsOf: (frame) => pts[Math.min(Math.max(frame, 0), pts.length - 1)] ?? 0,
    timeOf: (frame) => times.times?.[frame] ?? constantTime(times, frame),
  };
}

/** Creates numbers by arithmetic, for a rate that inspection found to be constant. */
export function constantNumbers(
  firstPts: number,
  timeBase: number,
  origin: number,
  fps: number,
  count?: number,
): FrameNumbers {
  const startTime = milliseconds(firstPts * timeBase - origin);
  return {
    count,
    numberOf: (value) => {
      const exact = (value - firstPts) * timeBase * fps;
      const frame = Math.round(exact);
      return Math.abs(exact - frame) < TOLERANCE ? frame : -1;
    },
    ptsOf: (frame) => Math.round(firstPts + frame / fps / timeBase),
    timeOf: (frame) => constantTime({ startTime, fps }, frame),
  };
}

function constantTime({ startTime, fps }: Pick<FrameTimes, 'startTime' | 'fps'>, frame: number): number {
  return startTime + (fps > 0 ? Math.floor((frame * 1000) / fps) : 0);
}

/**
 * Returns how frames map to times, for the document and the merging of tracks. `pts` and `origin` (seconds) use the container's clock.
 * `lastTicks`: display duration of the last frame; 0 if unknown.
 */
export function frameTimes(
  pts: Float64Array,
  clock: FrameClock,
  { origin, lastTicks = 0 }: { readonly origin: number; readonly lastTicks?: number },
): FrameTimes {
  const { timeBase, rates } = clock;
  const startTime = milliseconds((pts[0] ?? 0) * timeBase - origin);
  const constant = constantRate(pts, timeBase, rates);
  if (constant !== undefined) return { fps: constant, constantRate: true, startTime };
  const times = Array.from(pts, (value) => milliseconds(value * timeBase - origin));
  return { ...variableRate(pts, clock, lastTicks), constantRate: false, startTime, times };
}

function variableRate(
  pts: Float64Array,
  { timeBase, rates: [stated = 0], hasSlots }: FrameClock,
  lastTicks: number,
): Pick<FrameTimes, 'fps' | 'meanFps'> {
  const shown = ((pts.at(-1) ?? 0) - (pts[0] ?? 0) + lastTicks) * timeBase;
  const seconds = lastTicks > 0 || stated === 0 ? shown : shown + 1 / stated;
  const fps = plausibleRate(stated, pts.length / seconds);
  return hasSlots && fps !== stated ? { fps: stated, meanFps: fps } : { fps };
}

/**
 * Returns the frame rate if all steps between timestamps have the same number of ticks. Returns the container's rate if it fits the frames,
 * otherwise the rate of the steps.
 */
function constantRate(pts: Float64Array, timeBase: number, rates: readonly number[]): number | undefined {
  const step = (pts[1] ?? 0) - (pts[0] ?? 0);
  if (pts.length < 2) return rates[0];
  if (!pts.every((value, frame) => frame === 0 || value - (pts[frame - 1] ?? 0) === step)) return undefined;
  return rates.find((fps) => isAtRate(pts, timeBase, fps)) ?? 1 / (step * timeBase);
}

/** True if no frame deviates from its place by more than a tick or a millisecond (whichever is longer), or by TOLERANCE. */
function isAtRate(pts: Float64Array, timeBase: number, fps: number): boolean {
  const allowed = Math.min(Math.max(timeBase, 0.001) * 1.001, TOLERANCE / fps);
  const first = pts[0] ?? 0;
  return pts.every((value, frame) => Math.abs((value - first) * timeBase - frame / fps) <= allowed);
}

/** Converts to whole milliseconds, rounded down. The summand compensates binary fractions such as 0.29 * 1000 = 289.99999. */
export function milliseconds(seconds: number): number {
  return Math.max(0, Math.floor(seconds * 1000 + TINY));
}
