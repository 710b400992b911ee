/**
 * The answer of the NanoDet network as boxes. It judges the cells of three grids over a 416 pixel square, 8, 16 and 32 pixels wide.
 * Each cell has a probability for each class and the distances of the four edges from its centre. A distance is a distribution over
 * 0 to 10 cell widths, as logits: its mean is the distance.
 */
import { type Box, iou } from '../../../domain/geometry/geometry.ts';
import { meanOf } from '../../shared/networks/distribution.ts';
import { CLASSES } from '../../shared/networks/classes.ts';

export const SIDE = 416;
const STRIDES = [8, 16, 32];
const BINS = 11;

export interface RawObjects {
  /** For each grid: for each cell a value for each class. */
  readonly scores: readonly Float32Array[];
  /** For each grid: for each cell four times BINS values. */
  readonly distances: readonly Float32Array[];
}

export interface ObjectBox extends Box {
  readonly classification: string;
  readonly confidence: number;
}

/** What each cell most likely shows, when that is at least as likely as `threshold`, in pixels of the square, likeliest first. */
export function decode(raw: RawObjects, threshold: number): ObjectBox[] {
  const found: ObjectBox[] = [];
  STRIDES.forEach((stride, grid) => {
    const scores = raw.scores[grid]!;
    const distances = raw.distances[grid]!;
    const cells = SIDE / stride;
    for (let cell = 0; cell < cells * cells; cell++) {
      const best = likeliest(scores, cell * CLASSES.length);
      const confidence = scores[cell * CLASSES.length + best]!;
      if (!(confidence >= threshold)) continue;
      const edge = (side: number): number => meanOf(distances, (cell * 4 + side) * BINS, BINS) * stride;
      const x = ((cell % cells) + 0.5) * stride - edge(0);
      const y = (Math.floor(cell / cells) + 0.5) * stride - edge(1);
      const right = ((cell % cells) + 0.5) * stride + edge(2);
      const bottom = (Math.floor(cell / cells) + 0.5) * stride + edge(3);
      const box = { x, y, width: right - x, height: bottom - y };
      found.push({ ...box, classification: CLASSES[best]!, confidence });
    }
  });
  return found.toSorted((a, b) => b.confidence - a.confidence);
}

function likeliest(scores: Float32Array, first: number): number {
  let best = 0;
  for (let i = 1; i < CLASSES.length; i++) if (scores[first + i]! > scores[first + best]!) best = i;
  return best;
}

/** Boxes of one class that share more than this are one object. */
export const SAME_OBJECT = 0.5;
/** Boxes of any classes that share more than this are one object, too, of which the network is not sure what it is. */
const SAME_BOX = 0.8;

/** One box for each object; `found` is in order of its likelihood. */
export function suppress(found: readonly ObjectBox[]): ObjectBox[] {
  const kept: ObjectBox[] = [];
  for (const next of found) {
    const known = kept.some(
      (box) => iou(box, next) > (box.classification === next.classification ? SAME_OBJECT : SAME_BOX),
    );
    if (!known) kept.push(next);
  }
  return kept;
}
