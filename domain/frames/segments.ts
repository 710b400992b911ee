/** Ranges of frames: which ones a job analyzes, and how they are cut into sub-jobs. Both ends of a range are included. */
import type { FrameTimes, Properties, Range } from '../types.ts';
import { frameOfTime } from './frame-times.ts';
import { integerOf, textOf } from '../properties/properties.ts';

/** In frames. A target of 0 or less disables cutting. */
export interface SegmentLimits {
  readonly target: number;
  readonly min: number;
}

/** The limits for a video. Videos with a variable rate use another pair of properties. Lengths are in frames or in seconds. */
export function segmentLimits(
  properties: Properties,
  video: Pick<FrameTimes, 'fps' | 'constantRate'>,
): SegmentLimits {
  const prefix = video.constantRate ? '' : 'VFR_';
  const target = integerOf(properties, `${prefix}TARGET_SEGMENT_LENGTH`);
  const min = Math.max(0, integerOf(properties, `${prefix}MIN_SEGMENT_LENGTH`));
  const inSeconds =
    textOf(properties, 'SEGMENT_LENGTH_SPECIFICATION').trim().toUpperCase() === 'SECONDS' && video.fps > 0;
  if (!inSeconds) return { target, min: Math.max(1, min) };
  const frames = (seconds: number): number => Math.max(1, Math.floor(seconds * video.fps));
  return { target: target > 0 ? frames(target) : target, min: frames(min) };
}

/** Property of algorithms that process sound in pieces: their length in seconds. 0 or less disables cutting. */
export const SOUND_SEGMENT_LENGTH = 'AUDIO_TARGET_SEGMENT_LENGTH';

/**
 * Pieces in milliseconds in which a sound is processed, at most about `max`. A rest of less than half a piece is added to the last one. []
 * if it is not cut.
 */
export function soundPieces(properties: Properties, durationMs: number, max: number): readonly Range[] {
  const target = integerOf(properties, SOUND_SEGMENT_LENGTH, 0) * 1000;
  if (!(target > 0) || !(durationMs > 0)) return [];
  const whole = { start: 0, stop: Math.ceil(durationMs) - 1 };
  const limits = boundedLimits([whole], { target, min: target / 2 }, max);
  const pieces = cutRange(whole, { ...limits, min: limits.target / 2 });
  return pieces.length > 1 ? pieces : [];
}

/**
 * Cuts a range into pieces of `target` frames, while at least `min` frames remain. A shorter rest is added to the last piece, which has
 * `min` to `target + min - 1` frames.
 */
export function cutRange(range: Range, limits: SegmentLimits): readonly Range[] {
  const { target } = limits;
  const min = Math.max(1, limits.min);
  if (range.stop < range.start) return [];
  if (target <= 0) return [range];
  const pieces: Range[] = [];
  let start = range.start;
  while (range.stop > start + (target - 1) + (min - 1)) {
    pieces.push({ start, stop: start + target - 1 });
    start += target;
  }
  pieces.push({ start, stop: range.stop });
  return pieces;
}

/**
 * Limits that cut these ranges into at most about `max` pieces, with a larger target if necessary. Ranges are never joined, so there are at
 * least as many pieces as ranges.
 */
export function boundedLimits(ranges: readonly Range[], limits: SegmentLimits, max: number): SegmentLimits {
  if (limits.target <= 0) return limits;
  const frames = ranges.reduce((sum, { start, stop }) => sum + Math.max(0, stop - start + 1), 0);
  const least = Math.ceil(frames / Math.max(1, max - ranges.length));
  return least <= limits.target ? limits : { ...limits, target: least };
}

/** Cuts each range separately, in the given order. */
export function cutRanges(ranges: readonly Range[], limits: SegmentLimits): readonly Range[] {
  return ranges.flatMap((range) => cutRange(range, limits));
}

/** Joins ranges whose distance (start of the later minus stop of the earlier) is at most `gap`. The result is sorted by start. */
export function joinRanges(ranges: readonly Range[], gap: number): readonly Range[] {
  const sorted = ranges
    .filter((r) => r.start <= r.stop)
    .toSorted((a, b) => a.start - b.start || a.stop - b.stop);
  const joined: Range[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && range.start - last.stop <= gap) {
      joined[joined.length - 1] = { start: last.start, stop: Math.max(last.stop, range.stop) };
    } else joined.push(range);
  }
  return joined;
}

/**
 * The requested frames: the union of frame ranges and time ranges (milliseconds), joined where they touch and clipped to the video. The
 * whole video if there are none.
 */
export function userRanges(request: {
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly frameTimes: FrameTimes;
  /** Frames of the video. */
  readonly length: number;
}): readonly Range[] {
  const { frameRanges, timeRanges, frameTimes, length } = request;
  const whole = { start: 0, stop: length - 1 };
  if (frameRanges.length === 0 && timeRanges.length === 0) return joinRanges([whole], 1);
  const fromTimes = timeRanges
    .filter((range) => range.start <= range.stop && range.stop >= 0)
    .map(({ start, stop }) => ({
      start: frameOfTime(frameTimes, start),
      stop: frameOfTime(frameTimes, stop),
    }));
  const clipped = [...frameRanges, ...fromTimes].map(({ start, stop }) => ({
    start: Math.max(start, whole.start),
    stop: Math.min(stop, whole.stop),
  }));
  return joinRanges(clipped, 1);
}

/**
 * The requested pages of a document, from the frame ranges: numbers from 1 as in PAGE_NUM, joined where they touch. Undefined: all pages.
 */
export function pageRanges(frameRanges: readonly Range[]): readonly Range[] | undefined {
  if (frameRanges.length === 0) return undefined;
  return joinRanges(
    frameRanges.map(({ start, stop }) => ({ start: Math.max(1, start), stop })),
    1,
  );
}

/** The ranges that a later task analyzes: those of the earlier tracks, joined over MIN_GAP_BETWEEN_SEGMENTS frames. */
export function followUpRanges(trackRanges: readonly Range[], properties: Properties): readonly Range[] {
  return joinRanges(trackRanges, integerOf(properties, 'MIN_GAP_BETWEEN_SEGMENTS'));
}

/** Joins ranges over the smallest gaps, the earlier first, until at most `max` (at least 1) ranges are left. */
export function capRanges(ranges: readonly Range[], max: number): readonly Range[] {
  const joined = joinRanges(ranges, 1);
  const excess = joined.length - Math.max(1, max);
  if (excess <= 0) return joined;
  const gaps = joined
    .slice(1)
    .map((range, index) => ({ index: index + 1, gap: range.start - (joined[index]?.stop ?? 0) }));
  const bridged = new Set(
    gaps
      .toSorted((a, b) => a.gap - b.gap || a.index - b.index)
      .slice(0, excess)
      .map(({ index }) => index),
  );
  const capped: Range[] = [];
  for (const [index, range] of joined.entries()) {
    const last = capped.at(-1);
    if (last !== undefined && bridged.has(index)) {
      capped[capped.length - 1] = { start: last.start, stop: range.stop };
    } else capped.push(range);
  }
  return capped;
}
