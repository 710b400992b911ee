/** Frames that a copy of a video must conceal or omit, besides the content of the boxes. */
import { keyFrameTimes } from '../../../media/video/key-frames.ts';
import type { MarkupWork } from '../../../protocol/track-work.ts';
import { readPrepared } from '../media/finish/prepared-line.ts';
import { excerptOf, type Excerpt } from './excerpt.ts';
import type { MarkupSettings } from './settings.ts';
import { unseenFrames, type UnseenFrames } from './unseen-frames.ts';

export interface Concealment {
  readonly unseen: UnseenFrames;
  /** Parts of the video in the copy; undefined for the whole video. */
  readonly excerpt?: Excerpt | undefined;
}

/** Returns the concealment. Throws COULD_NOT_READ_MEDIA if no frame was analysed, COULD_NOT_OPEN_MEDIA. */
export async function concealmentOf(
  { medium, prepared, frameChoices: choices = [] }: MarkupWork,
  { margin }: MarkupSettings,
  signal: AbortSignal,
): Promise<Concealment> {
  const line = prepared === undefined ? undefined : await readPrepared(prepared);
  const frameTimes = line?.facts.frameTimes ?? { fps: medium.fps, constantRate: true, startTime: 0 };
  const byKeyFrames = choices.some(({ keyFramesOnly }) => keyFramesOnly);
  const keyFrames = byKeyFrames ? await keyFrameTimes(medium.path, signal) : [];
  return {
    unseen: unseenFrames({ frameTimes, length: medium.length, margin, choices, keyFrames }),
    excerpt: line === undefined ? undefined : excerptOf(medium, { ranges: line.ranges, frameTimes }),
  };
}
