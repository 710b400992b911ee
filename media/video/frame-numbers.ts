/**
 * Which presentation timestamp is which frame. Frames are numbered from 0 in presentation order; the table comes from
 * the packets (no decoding), so it is cheap, or from the rate alone when inspection found it constant.
 */
import { plausibleRate } from '../../domain/frames/frame-times.ts';
import type { FrameTimes } from '../../domain/types.ts';
import type { VideoCursor } from './video-cursor.ts';
import { firstIndex } from '../../domain/first-index.ts';

type FrameClock = Pick<VideoCursor, 'timeBase' | 'rates' | 'hasSlots'>;

/** Both directions between frame numbers and timestamps (ticks of the stream). */
export interface FrameNumbers {
  /** -1 when no frame lies at this timestamp. */
  numberOf(pts: number): number;
  ptsOf(frame: number): number;
  /** Milliseconds from the start of the medium. */
  timeOf(frame: number): number;
  /** Frames of the video; undefined when not known. */
  readonly count: number | undefined;
}

/** A frame may lie this far (in frames) from where a constant rate puts it. */
const TOLERANCE = 0.3;
const TINY = 1e-6;

/** Numbers from a table of all timestamps. */
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

/** Numbers by arithmetic, for a rate that inspection has found to be constant. */
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
 * How frames become times, as the document and the merging of tracks need it; `pts` and `origin` (seconds) by the container's
 * clock. `lastTicks`: how long the last frame is shown; 0 when that is not known.
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
 * Frames a second when the rate is constant: all steps between timestamps are the same number of ticks. It is the rate that
 * the container gives, when that puts the frames where they are, else the one that the steps give.
 */
function constantRate(pts: Float64Array, timeBase: number, rates: readonly number[]): number | undefined {
  const step = (pts[1] ?? 0) - (pts[0] ?? 0);
  if (pts.length < 2) return rates[0];
  if (!pts.every((value, frame) => frame === 0 || value - (pts[frame - 1] ?? 0) === step)) return undefined;
  return rates.find((fps) => isAtRate(pts, timeBase, fps)) ?? 1 / (step * timeBase);
}

/** No frame strays more than a tick or a millisecond (whichever is longer) from its place, nor from its number. */
function isAtRate(pts: Float64Array, timeBase: number, fps: number): boolean {
  const allowed = Math.min(Math.max(timeBase, 0.001) * 1.001, TOLERANCE / fps);
  const first = pts[0] ?? 0;
  return pts.every((value, frame) => Math.abs((value - first) * timeBase - frame / fps) <= allowed);
}

/** Whole milliseconds, rounded down; the summand undoes binary fractions such as 0.29 * 1000 = 289.99999. */
export function milliseconds(seconds: number): number {
  return Math.max(0, Math.floor(seconds * 1000 + TINY));
}
