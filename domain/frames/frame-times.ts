/** Frames to milliseconds of media time and back. */
import type { FrameTimes } from '../types.ts';
import { firstIndex } from '../first-index.ts';

/** Absorbs the rounding of a division that is exact in theory: 30 frames at 30000/1001 per second are 1001 ms. */
const TINY = 1e-6;

/** Whole milliseconds of this many frames at a constant rate. */
function elapsedAt(frames: number, fps: number): number {
  return fps > 0 ? Math.floor((frames * 1000) / fps + TINY) : 0;
}

/** Maximum factor between the stated and the mean rate. Beyond it, the stated rate is wrong. */
const MOST_OFF = 1.5;

/** Frame rate of a video with a variable rate: the rate that its container states, unless the mean rate differs too much. */
export function plausibleRate(stated: number, mean: number): number {
  if (!(mean > 0) || !Number.isFinite(mean)) return stated;
  return stated > mean * MOST_OFF || stated < mean / MOST_OFF ? mean : stated;
}

/** Milliseconds at which the frame is shown. Frames after the end of a table continue at the mean rate. */
export function timeOfFrame(frameTimes: FrameTimes, frame: number): number {
  const { startTime, fps, times } = frameTimes;
  const at = Math.max(0, frame);
  if (times === undefined || times.length === 0) {
    return startTime + elapsedAt(at, fps);
  }
  const last = times.length - 1;
  if (at <= last) return times[at] ?? startTime;
  return (times[last] ?? startTime) + elapsedAt(at - last, fps);
}

/** The frame that is shown at this time: the last one that starts then or before, at least 0. */
export function frameOfTime(frameTimes: FrameTimes, time: number): number {
  const { startTime, fps, times } = frameTimes;
  if (times === undefined || times.length === 0) return framesAfter(time - startTime, fps);
  const last = times.length - 1;
  const lastTime = times[last] ?? startTime;
  if (time >= lastTime) return last + framesAfter(time - lastTime, fps);
  return Math.max(0, firstIndex(last, (frame) => times[frame]! > time) - 1);
}

/** The last n whose elapsedAt is at most `elapsed`. The first estimate may be off by one because of rounding. */
function framesAfter(elapsed: number, fps: number): number {
  if (!(elapsed >= 0) || !(fps > 0)) return 0;
  const guess = Math.max(0, Math.ceil(((Math.floor(elapsed) + 1 - TINY) * fps) / 1000) - 1);
  if (elapsedAt(guess + 1, fps) <= elapsed) return guess + 1;
  return elapsedAt(guess, fps) > elapsed ? Math.max(0, guess - 1) : guess;
}
