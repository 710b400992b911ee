/** What the outputs of a network mean: a head knows one layout by its shapes, and reads boxes, classes or a vector from its values. */
import type { Box } from '../../../../domain/geometry/geometry.ts';
import type { Hints, ModelType, Preprocessing } from '../../../shared/onnx-session/hints.ts';

/** An output for one picture: its shape without the axis of the batch. */
export interface OutputShape {
  readonly name: string;
  readonly dims: readonly number[];
}

export interface Output extends OutputShape {
  readonly data: ArrayLike<number>;
}

/** What is known of a network besides its outputs: the size of its input in pixels, and hints. */
export interface Known extends Pick<Hints, 'names' | 'task' | 'softmax' | 'hasExtras'> {
  readonly width: number;
  readonly height: number;
  /** The head is the one that MODEL_TYPE names. */
  readonly isAsked?: boolean;
}

/** The outputs have the layout of the head: which they are, and how many classes they tell apart (0: as many as come). */
export interface Fit {
  readonly classes: number;
  /** Indexes of outputs, in the order that the head names them. */
  readonly outputs: readonly number[];
}

/** They have another one. `nearness`: 0 nothing fits, 1 the number of axes does, 2 all but the number of classes. */
export interface Misfit {
  readonly nearness: 0 | 1 | 2;
  readonly why: string;
}

export interface ScoredClass {
  readonly number: number;
  /** 0 to 1. */
  readonly score: number;
}

/** In pixels of the network's input; classes by their scores, at least one. */
export interface RawBox extends Box {
  readonly classes: readonly ScoredClass[];
  /** Its place among all boxes that the network judges. */
  readonly row: number;
}

export interface Wanted {
  /** The best class of a box has at least this score. */
  readonly threshold: number;
  /** Classes for each box. */
  readonly top: number;
}

export interface Head {
  readonly type: ModelType;
  /** The shapes of its outputs, for people. */
  readonly rule: string;
  /** How networks with this head are usually shown a picture. */
  readonly preprocessing: Partial<Preprocessing>;
  fit(outputs: readonly OutputShape[], known: Known): Fit | Misfit;
}

/** Finds boxes. `outputs` come in the order of the fit. */
export interface BoxHead extends Head {
  readonly finds: 'boxes';
  /** One thing may have several boxes, of which the best is to be kept. */
  readonly overlaps: boolean;
  boxes(outputs: readonly Output[], fit: Fit, known: Known, wanted: Wanted): RawBox[];
}

/** Names what a picture shows as a whole. */
export interface ClassHead extends Head {
  readonly finds: 'classes';
  classes(outputs: readonly Output[], top: number): readonly ScoredClass[];
}

/** Makes a vector of a picture, near to those of similar ones. */
export interface VectorHead extends Head {
  readonly finds: 'vector';
  vector(outputs: readonly Output[]): Float32Array;
}

export type AnyHead = BoxHead | ClassHead | VectorHead;

export const isFit = (fit: Fit | Misfit): fit is Fit => 'classes' in fit;

export const misfit = (nearness: Misfit['nearness'], why: string): Misfit => ({ nearness, why });

/** Why the names that were given are not those of these outputs; undefined when they are, or none were given. */
export function wrongCount(classes: number, { names }: Known): Misfit | undefined {
  if (names === undefined || names.length === classes) return undefined;
  return misfit(2, `that would be ${classes} classes, and there are names for ${names.length}`);
}

/** The best of `count` classes, whose scores `at` tells. */
export function topClasses(count: number, at: (number: number) => number, top: number): ScoredClass[] {
  const best: ScoredClass[] = [];
  for (let number = 0; number < count; number++) {
    const value = at(number);
    // What is no number is less likely than all else.
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

/** A box by its centre. */
export const centredBox = (x: number, y: number, width: number, height: number): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

/** Cells of the grids that detectors lay over a picture: 8, 16 and 32 pixels wide. */
export const STRIDES = [8, 16, 32] as const;
export function cellsOf({ width, height }: Pick<Known, 'width' | 'height'>): number {
  return STRIDES.reduce((sum, stride) => sum + Math.floor(width / stride) * Math.floor(height / stride), 0);
}

/** Networks with a fourth grid have it so wide. */
const WIDE_STRIDE = 64;

/** Whether a network that judges so many boxes in each cell has this number of them, with three grids or with four. */
export function isGrid(boxes: number, known: Known, boxesInCell: number): boolean {
  const wide = Math.floor(known.width / WIDE_STRIDE) * Math.floor(known.height / WIDE_STRIDE);
  return boxes === boxesInCell * cellsOf(known) || boxes === boxesInCell * (cellsOf(known) + wide);
}
