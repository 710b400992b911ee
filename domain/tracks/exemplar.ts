import type { Box } from '../geometry/geometry.ts';

/** What tells a detection of a finished track from the others: the exemplar is written once more, as a copy of one of them. */
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
