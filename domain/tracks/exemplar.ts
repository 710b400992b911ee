import type { Box } from '../geometry/geometry.ts';

/** Identifies the exemplar of a finished track, which is written as an additional copy of one of the detections. */
export interface WrittenDetection extends Box {
  readonly offsetFrame: number;
  readonly confidence: number;
}

export function isExemplar(one: WrittenDetection, exemplar: WrittenDetection): boolean {
  return (
    one.offsetFrame === exemplar.offsetFrame &&
    one.x === exemplar.x &&
    one.y === exemplar.y &&
    one.width === exemplar.width &&
    one.height === exemplar.height &&
    one.confidence === exemplar.confidence
  );
}
