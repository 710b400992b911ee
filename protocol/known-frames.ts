import type { WorkMedium } from './media-work.ts';

/** Facts with which a reader of a video saves an analysis. Facts that only the client states are not reliable enough for frame numbers. */
export function knownFrames({ inspected, fps, length, metadata }: WorkMedium) {
  const constantRate = metadata['HAS_CONSTANT_FRAME_RATE']?.toLowerCase() === 'true';
  return inspected ? { fps, constantRate, length } : undefined;
}
