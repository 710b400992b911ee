/** Formats frames, or pages, for messages. */
import type { Range } from '../types.ts';
import { joinRanges } from './segments.ts';

/** `(Frames: 0 - 5, 15, 17, 18)` for ranges of frames in any order. Null if there are none. */
export function frameRangeString(ranges: readonly Range[], what = 'Frames'): string | null {
  const joined = joinRanges(ranges, 1);
  if (joined.length === 0) return null;
  const parts = joined.map(({ start, stop }) =>
    start === stop ? `${start}` : start + 1 === stop ? `${start}, ${stop}` : `${start} - ${stop}`,
  );
  return `(${what}: ${parts.join(', ')})`;
}

/** The same for single frames. */
export function frameListString(frames: readonly number[], what?: string): string | null {
  return frameRangeString(
    frames.map((frame) => ({ start: frame, stop: frame })),
    what,
  );
}
