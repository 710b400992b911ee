/** Meaning of a network's outputs. A head recognizes one layout by its shapes, and reads boxes, classes or a vector from its values. */
import type { Box } from '../../../../domain/geometry/geometry.ts';
import type { Hints, ModelType, Preprocessing } from '../../../shared/onnx-session/hints.ts';

/** An output for one picture, without the batch axis in its shape. */
export interface OutputShape {
  readonly name: string;
  readonly dims: readonly number[];
}

export interface Output extends OutputShape {
  readonly data: ArrayLike<number>;
}

/** Facts about a network besides its outputs: the size of its input in pixels, and hints. */
export interface Known extends Pick<Hints, 'names' | 'task' | 'softmax' | 'hasExtras'> {
  readonly width: number;
  readonly height: number;
  /** True if MODEL_TYPE names the head. */
  readonly isAsked?: boolean;
}

/** The outputs match the head: their indexes, and the number of classes (0 for any number). */
export interface Fit {
  readonly classes: number;
  /** Indexes of outputs, in the head's order. */
  readonly outputs: readonly number[];
}

/** The outputs do not match. `nearness`: 0 nothing matches, 1 the number of axes matches, 2 all except the number of classes. */
export interface Misfit {
  readonly nearness: 0 | 1 | 2;
  readonly why: string;
}

export interface ScoredClass {
  readonly number: number;
  /** Score, 0 to 1. */
  readonly score: number;
}

/** A box in pixels of the network's input, with at least one class, sorted by score. */
export interface RawBox extends Box {
  readonly classes: readonly ScoredClass[];
  /** Index among all boxes of the network. */
  readonly row: number;
}

export interface Wanted {
  /** Minimum score of the best class of a box. */
  readonly threshold: number;
  /** Maximum number of classes per box. */
  readonly top: number;
}

export interface Head {
  readonly type: ModelType;
  /** Shapes of its outputs, for messages. */
  readonly rule: string;
  /** Default preprocessing of networks with this head. */
  readonly preprocessing: Partial<Preprocessing>;
  fit(outputs: readonly OutputShape[], known: Known): Fit | Misfit;
}

/** Finds boxes. `outputs` are in the order of the fit. */
export interface BoxHead extends Head {
  readonly finds: 'boxes';
  /** True if one object may have several boxes, of which only the best is kept. */
  readonly overlaps: boolean;
  boxes(outputs: readonly Output[], fit: Fit, known: Known, wanted: Wanted): RawBox[];
}

/** Classifies a whole picture. */
export interface ClassHead extends Head {
  readonly finds: 'classes';
  classes(outputs: readonly Output[], top: number): readonly ScoredClass[];
}

/** Makes a vector of a picture. Vectors of similar pictures are similar. */
export interface VectorHead extends Head {
  readonly finds: 'vector';
  vector(outputs: readonly Output[]): Float32Array;
}

export type AnyHead = BoxHead | ClassHead | VectorHead;

export const isFit = (fit: Fit | Misfit): fit is Fit => 'classes' in fit;

export const misfit = (nearness: Misfit['nearness'], why: string): Misfit => ({ nearness, why });

/**
 * Returns a misfit if the number of given names differs from the number of classes. Returns undefined if it matches, or no names are given.
 */
export function wrongCount(classes: number, { names }: Known): Misfit | undefined {
  if (names === undefined || names.length === classes) return undefined;
  return misfit(2, `that would be ${classes} classes, and there are names for ${names.length}`);
}

/** Returns the best of `count` classes. `at` returns the score of a class. */
export function topClasses(count: number, at: (number: number) => number, top: number): ScoredClass[] {
  const best: ScoredClass[] = [];
  for (let number = 0; number < count; number++) {
    const value = at(number);
    // NaN counts as the lowest score.
    const score = value >= -Infinity ? value : -Infinity;
    const last = best.at(-1);
    if (best.length === top && last !== undefined && !(score > last.score)) continue;
    const place = best.findIndex((one) => score > one.score);
    best.splice(place < 0 ? best.length : place, 0, { number, score });
    if (best.length > top) best.pop();
  }
  return best;
}

export const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

/** Returns a box from its centre and size. */
export const centredBox = (x: number, y: number, width: number, height: number): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

/** Cell sizes of detector grids over a picture: 8, 16 and 32 pixels. */
export const STRIDES = [8, 16, 32] as const;
export function cellsOf({ width, height }: Pick<Known, 'width' | 'height'>): number {
  return STRIDES.reduce((sum, stride) => sum + Math.floor(width / stride) * Math.floor(height / stride), 0);
}

/** Cell size of the fourth grid, which some networks have. */
const WIDE_STRIDE = 64;

/** True if a network with this number of boxes per cell has `boxes` in total, with three or four grids. */
export function isGrid(boxes: number, known: Known, boxesInCell: number): boolean {
  const wide = Math.floor(known.width / WIDE_STRIDE) * Math.floor(known.height / WIDE_STRIDE);
  return boxes === boxesInCell * cellsOf(known) || boxes === boxesInCell * (cellsOf(known) + wide);
}
