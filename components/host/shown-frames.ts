/** Which frames of a video are on show while a sound is heard. */
import { frameOfTime, timeOfFrame } from '../../domain/frames/frame-times.ts';
import type { Range } from '../../domain/types.ts';
import { knownFrames } from '../../protocol/known-frames.ts';
import type { WorkMedium } from '../../protocol/media-work.ts';

/** Milliseconds of the medium, both ends included; to the beginning and the end when absent. */
export interface Stretch {
  readonly startMs?: number | undefined;
  readonly stopMs?: number | undefined;
}

export interface ShownFrames {
  /** The frame that is on show at so many milliseconds. */
  frameAt(ms: number): number;
  /** The time in which frames of the range are on show. */
  stretchOf(range: Range): Stretch;
}

/** At a constant rate by arithmetic, else by the times of the packets. Undefined: the medium has no frames. */
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
