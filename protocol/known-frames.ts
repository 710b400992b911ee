import type { WorkMedium } from './media-work.ts';

/** What a reader of a video need not find out again; what only a client says of its medium is not good enough to number frames by. */
export function knownFrames({ inspected, fps, length, metadata }: WorkMedium) {
  const constantRate = metadata['HAS_CONSTANT_FRAME_RATE']?.toLowerCase() === 'true';
  return inspected ? { fps, constantRate, length } : undefined;
}
