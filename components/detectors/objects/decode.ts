/**
 * Converts the output of the NanoDet network to boxes. It evaluates the cells of three grids over a 416 pixel square, with 8, 16 and 32
 * pixels per cell. Each cell has a probability per class, and the distances of the four edges from its centre. Each distance is the mean of
 * a distribution over 0 to 10 cell widths, given as logits.
 */
import { type Box, iou } from '../../../domain/geometry/geometry.ts';
import { meanOf } from '../../shared/networks/distribution.ts';
import { CLASSES } from '../../shared/networks/classes.ts';

export const SIDE = 416;
const STRIDES = [8, 16, 32];
const BINS = 11;

export interface RawObjects {
  /** For each grid: one value per cell and class. */
  readonly scores: readonly Float32Array[];
  /** For each grid: four times BINS values per cell. */
  readonly distances: readonly Float32Array[];
}

export interface ObjectBox extends Box {
  readonly classification: string;
  readonly confidence: number;
}

/**
 * Returns the most likely class of each cell with at least the probability `threshold`, in pixels of the square, by descending probability.
 */
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

/** Minimum overlap of two boxes of one class that are one object. */
export const SAME_OBJECT = 0.5;
/** Minimum overlap of two boxes of any classes that are one object, whose class is uncertain. */
const SAME_BOX = 0.8;

/** Returns one box per object. `found` must be sorted by descending probability. */
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
