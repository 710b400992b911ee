/** The times of all frames of a video, run-length coded: a constant rate is one run, and a variable rate is exact. */
import type { FrameTimes } from '../types.ts';

/** Frames at equal distances. Frame i of `count` (from 0) is shown from `floor(start + i * delta + 0.000001)` milliseconds on. */
export type FrameRun = readonly [start: number, delta: number, count: number];

export interface FrameTable {
  readonly frames: number;
  /** Frames per second, on average if the rate varies; 0 if unknown. */
  readonly fps: number;
  readonly constantRate: boolean;
  readonly runs: readonly FrameRun[];
}

/** Absorbs the rounding of sums, as in the times of the document. */
const TINY = 1e-6;
/** Number of fractions of a millisecond that are tried as the start of a run. Times are whole, but frame distances rarely are. */
const BEGINNINGS = 64;

export function frameTable({ fps, constantRate, startTime, times }: FrameTimes, frames: number): FrameTable {
  const table = { frames, fps, constantRate };
  if (times !== undefined && times.length > 0) return { ...table, frames: times.length, runs: runsOf(times) };
  return { ...table, runs: frames > 0 ? [[startTime, fps > 0 ? 1000 / fps : 0, frames]] : [] };
}

function runsOf(times: readonly number[]): readonly FrameRun[] {
  const runs: FrameRun[] = [];
  for (let first = 0; first < times.length;) {
    const run = longestRun(times, first);
    runs.push(run);
    first += run[2];
  }
  return runs;
}

/** The longest run that starts at this frame. */
function longestRun(times: readonly number[], first: number): FrameRun {
  const start = times[first]!;
  // By fraction at the start: the range of frame distances that match all times so far.
  const least = new Float64Array(BEGINNINGS);
  const most = new Float64Array(BEGINNINGS).fill(Infinity);
  let [best, count] = [0, 1];
  for (; first + count < times.length; count++) {
    const longer = narrowRange(least, most, times[first + count]! - start, count);
    if (longer < 0) break;
    best = longer;
  }
  if (count === 1) return [start, 0, 1];
  return [start + best / BEGINNINGS, middleOf(least, most, best, times, first, count), count];
}

/** Adds a frame to the run. Returns the start fraction with the widest range of distances, or -1 without a change if none matches. */
function narrowRange(least: Float64Array, most: Float64Array, distance: number, i: number): number {
  let [best, room] = [-1, 0];
  const bounds = (n: number) => {
    const from = Math.max(least[n]!, (distance - n / BEGINNINGS) / i);
    const to = Math.min(most[n]!, (distance + 1 - 3 * TINY - n / BEGINNINGS) / i);
    return [from, to] as const;
  };
  for (let n = 0; n < BEGINNINGS; n++) {
    const [from, to] = bounds(n);
    if (to - from > room) [best, room] = [n, to - from];
  }
  if (best < 0) return -1;
  for (let n = 0; n < BEGINNINGS; n++) [least[n], most[n]] = bounds(n);
  return best;
}

/** A frame distance that matches, in whole milliseconds if possible. */
function middleOf(
  least: Float64Array,
  most: Float64Array,
  best: number,
  times: readonly number[],
  first: number,
  count: number,
): number {
  const whole = times[first + 1]! - times[first]!;
  if (least[best]! <= whole && whole < most[best]!) return whole;
  return count > 1 ? (least[best]! + most[best]!) / 2 : 0;
}
