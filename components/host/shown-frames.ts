/** Finds the frames of a video that are displayed during a sound. */
import { frameOfTime, timeOfFrame } from '../../domain/frames/frame-times.ts';
import type { Range } from '../../domain/types.ts';
import { knownFrames } from '../../protocol/known-frames.ts';
import type { WorkMedium } from '../../protocol/media-work.ts';

/** A period in milliseconds of the medium, both ends inclusive. It extends to the beginning or end if undefined. */
export interface Stretch {
  readonly startMs?: number | undefined;
  readonly stopMs?: number | undefined;
}

export interface ShownFrames {
  /** Returns the displayed frame at a time in milliseconds. */
  frameAt(ms: number): number;
  /** Returns the period in which frames of the range are displayed. */
  stretchOf(range: Range): Stretch;
}

/** Uses arithmetic at a constant rate, otherwise the times of packets. Returns undefined if the medium has no frames. */
export async function shownFrames(medium: WorkMedium, signal: AbortSignal): Promise<ShownFrames | undefined> {
  const { mediaType, fps, path } = medium;
  if (mediaType !== 'VIDEO') return undefined;
  if (knownFrames(medium)?.constantRate === true && fps > 0)
    return {
      frameAt: (ms) => Math.floor((ms * fps) / 1000),
      stretchOf: ({ start, stop }) => ({ startMs: (start * 1000) / fps, stopMs: ((stop + 1) * 1000) / fps }),
    };
  const { videoTimes } = await import('../../media/inspect/inspect-video.ts');
  const { times, count, lastMs } = await videoTimes(path, signal);
  return {
    frameAt: (ms) => Math.min(frameOfTime(times, ms), count - 1),
    stretchOf: ({ start, stop }) => ({
      startMs: timeOfFrame(times, start),
      stopMs: stop + 1 < count ? timeOfFrame(times, stop + 1) : timeOfFrame(times, count - 1) + lastMs,
    }),
  };
}
