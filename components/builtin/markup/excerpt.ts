/** The analysed parts of a video, which are the only parts in its concealed copy. They follow each other without a gap. */
import { timeOfFrame } from '../../../domain/frames/frame-times.ts';
import type { FrameTimes, Range } from '../../../domain/types.ts';
import type { SoundPart } from '../../../media/sound/sound-copy.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import { DetectionError } from '../../sdk/detector.ts';

export interface Excerpt {
  /** Frame ranges of the medium, ascending and separate. */
  readonly ranges: readonly Range[];
  readonly frameTimes: FrameTimes;
}

/** Returns undefined if the whole video was analysed. Throws COULD_NOT_READ_MEDIA if nothing was analysed. */
export function excerptOf(
  { inspected, length }: Pick<WorkMedium, 'inspected' | 'length'>,
  { ranges, frameTimes }: Excerpt,
): Excerpt | undefined {
  const [first] = ranges;
  if (first === undefined)
    throw new DetectionError(
      'COULD_NOT_READ_MEDIA',
      'No copy is made: the video has no frame in its frameRanges and timeRanges. Give ranges within the video.',
    );
  // A length that only the client states may be too small.
  const isWhole = inspected && first.start === 0 && first.stop >= length - 1;
  return isWhole ? undefined : { ranges, frameTimes };
}

export const framesOf = ({ ranges }: Excerpt): readonly number[] =>
  ranges.flatMap(({ start, stop }) => Array.from({ length: stop - start + 1 }, (_, at) => start + at));

/** A range of a medium, with an exclusive end, in frames or milliseconds. */
interface Part {
  readonly from: number;
  readonly to: number;
}

export const partsInFrames = ({ ranges }: Excerpt): readonly Part[] =>
  ranges.map(({ start, stop }) => ({ from: start, to: stop + 1 }));

export const partsInTime = ({ ranges, frameTimes }: Excerpt): readonly Part[] =>
  ranges.map(({ start, stop }) => ({
    from: timeOfFrame(frameTimes, start),
    to: timeOfFrame(frameTimes, stop + 1),
  }));

/** Converts places of the medium to places of the copy. Places must be passed in ascending order. */
export function placesIn(parts: readonly Part[]): (place: number) => number {
  let [at, before] = [0, 0];
  return (place) => {
    for (
      let part = parts[at];
      part !== undefined && place >= part.to && at + 1 < parts.length;
      part = parts[at]
    ) {
      before += part.to - part.from;
      at++;
    }
    return before + place - (parts[at]?.from ?? 0);
  };
}

/** Returns the sound of the parts. `counted`: the same parts in the copy's units of `tick` seconds. */
export function soundOf(excerpt: Excerpt, counted: readonly Part[], tick: number): readonly SoundPart[] {
  const place = placesIn(counted);
  return partsInTime(excerpt).map(({ from, to }, part) => ({
    from: from / 1000,
    to: to / 1000,
    at: place(counted[part]?.from ?? 0) * tick,
  }));
}
