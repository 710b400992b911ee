/** Scales a picture directly into a network's input: normalized planes of blue, green and red. */
import type { Frame } from '../../../sdk/detector.ts';

export type Picture = Pick<Frame, 'width' | 'height' | 'data'>;

/** Values that are subtracted from the 0-255 values and then multiplied, by plane: blue, green, red. */
export interface Normalization {
  readonly mean: readonly [number, number, number];
  readonly factor: readonly [number, number, number];
}

/**
 * Scales by `scale` into planes of `width` x `height`. Shrinking averages, and enlarging interpolates. The area right of and below the
 * scaled picture repeats its last column and row.
 */
export function scaledPlanes(
  picture: Picture,
  scale: number,
  width: number,
  height: number,
  by: Normalization,
): Float32Array {
  const columns = taps(picture.width, width, scale);
  const rows = taps(picture.height, height, scale);
  const narrow = narrowRows(picture, columns, width);
  const planes = new Float32Array(3 * width * height);
  const row = new Float32Array(3 * width);
  for (let y = 0; y < height; y++) {
    row.fill(0);
    for (let tap = 0; tap < rows.count; tap++)
      addRow(row, narrow, (rows.first[y]! + tap) * row.length, rows.weights[y * rows.count + tap]!);
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++)
        planes[(channel * height + y) * width + x] =
          (row[x * 3 + 2 - channel]! - by.mean[channel]!) * by.factor[channel]!;
  }
  return planes;
}

function addRow(sum: Float32Array, rows: Float32Array, start: number, weight: number): void {
  if (weight === 0) return;
  for (let i = 0; i < sum.length; i++) sum[i]! += weight * rows[start + i]!;
}

/** For each result position: the first source position, and `count` weights, which add up to 1. */
interface Taps {
  readonly count: number;
  readonly first: Int32Array;
  readonly weights: Float32Array;
}

/** Returns triangular weights as wide as a result pixel in the source, but at least one source pixel. */
function taps(from: number, to: number, scale: number): Taps {
  const reach = Math.max(1, 1 / scale);
  const count = Math.min(from, Math.ceil(2 * reach));
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let i = 0; i < to; i++) {
    const centre = Math.min(from - 1, (i + 0.5) / scale - 0.5);
    const start = Math.max(0, Math.min(from - count, Math.floor(centre - reach) + 1));
    first[i] = start;
    let sum = 0;
    for (let k = 0; k < count; k++)
      sum += weights[i * count + k] = Math.max(0, 1 - Math.abs(start + k - centre) / reach);
    for (let k = 0; k < count; k++) weights[i * count + k]! /= sum;
  }
  return { count, first, weights };
}

function narrowRows(picture: Picture, columns: Taps, width: number): Float32Array {
  const { data } = picture;
  const result = new Float32Array(picture.height * width * 3);
  let to = 0;
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < width; x++) {
      let [red, green, blue] = [0, 0, 0];
      let at = (y * picture.width + columns.first[x]!) * 3;
      for (let tap = x * columns.count; tap < (x + 1) * columns.count; tap++, at += 3) {
        const weight = columns.weights[tap]!;
        red += weight * data[at]!;
        green += weight * data[at + 1]!;
        blue += weight * data[at + 2]!;
      }
      result[to++] = red;
      result[to++] = green;
      result[to++] = blue;
    }
  }
  return result;
}
