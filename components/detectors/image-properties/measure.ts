/** Measures pictures by arithmetic only. Pure. Grey levels and colour values are 0 to 255. */
import type { Frame } from '../../sdk/detector.ts';

export interface Measures {
  /** Mean grey level. */
  readonly brightness: number;
  /** Standard deviation of the grey levels, 0 to 127.5. */
  readonly contrast: number;
  /** Variance of the Laplacian of the grey levels; 0 for pictures without inner pixels. Depends on the size of the picture. */
  readonly sharpness: number;
  /** Measure of Hasler and Suesstrunk: 0 for grey, above about 80 for very colourful pictures. */
  readonly colorfulness: number;
  readonly isGrayscale: boolean;
}

/** Maximum difference of a grey pixel's colour values, which allows for compression. */
const GREY_SPREAD = 8;
/** Minimum share of grey pixels in a grey picture. */
const GREY_SHARE = 0.999;

export function greyLevels({ data, width, height }: Frame): Float32Array {
  const levels = new Float32Array(width * height);
  for (let i = 0, at = 0; i < levels.length; i++, at += 3)
    levels[i] = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  return levels;
}

export function measure(frame: Frame, levels: Float32Array): Measures {
  const grey = greyMoments(levels);
  return {
    brightness: grey.mean,
    contrast: grey.deviation,
    sharpness: sharpnessOf(levels, frame.width, frame.height),
    ...coloursOf(frame.data),
  };
}

interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly deviation: number;
}

/** Returns mean and variance from sums of numbers and their squares. */
function moments(count: number, sum: number, squares: number): Moments {
  const mean = count === 0 ? 0 : sum / count;
  const variance = count === 0 ? 0 : Math.max(0, squares / count - mean ** 2);
  return { mean, variance, deviation: Math.sqrt(variance) };
}

// Sums are plain variables for speed, because a picture may have hundreds of millions of pixels.

function greyMoments(levels: Float32Array): Moments {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i]!;
    sum += level;
    squares += level * level;
  }
  return moments(levels.length, sum, squares);
}

function sharpnessOf(levels: Float32Array, width: number, height: number): number {
  let [count, sum, squares] = [0, 0, 0];
  for (let y = 1; y < height - 1; y++)
    for (let i = y * width + 1; i < (y + 1) * width - 1; i++) {
      const edge = levels[i - 1]! + levels[i + 1]! + levels[i - width]! + levels[i + width]! - 4 * levels[i]!;
      count++;
      sum += edge;
      squares += edge * edge;
    }
  return moments(count, sum, squares).variance;
}

function coloursOf(data: Uint8Array): Pick<Measures, 'colorfulness' | 'isGrayscale'> {
  let [redGreenSum, redGreenSquares, yellowBlueSum, yellowBlueSquares, grey] = [0, 0, 0, 0, 0];
  for (let at = 0; at < data.length; at += 3) {
    const red = data[at]!;
    const green = data[at + 1]!;
    const blue = data[at + 2]!;
    const redGreen = red - green;
    const yellowBlue = (red + green) / 2 - blue;
    redGreenSum += redGreen;
    redGreenSquares += redGreen * redGreen;
    yellowBlueSum += yellowBlue;
    yellowBlueSquares += yellowBlue * yellowBlue;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) <= GREY_SPREAD) grey++;
  }
  const pixels = data.length / 3;
  const redGreen = moments(pixels, redGreenSum, redGreenSquares);
  const yellowBlue = moments(pixels, yellowBlueSum, yellowBlueSquares);
  return {
    colorfulness:
      Math.hypot(redGreen.deviation, yellowBlue.deviation) + 0.3 * Math.hypot(redGreen.mean, yellowBlue.mean),
    isGrayscale: grey >= pixels * GREY_SHARE,
  };
}

const HASH_COLUMNS = 9;
const HASH_ROWS = 8;

/**
 * Returns a 64-bit difference hash as 16 hexadecimal digits. The picture is reduced to 9 x 8 grey cells. Row by row, each bit is set if a
 * cell is darker than its right neighbour. Hashes of similar pictures of any size differ in few bits.
 */
export function perceptualHash(levels: Float32Array, width: number, height: number): string {
  let hash = 0n;
  for (let row = 0; row < HASH_ROWS; row++)
    for (let column = 0; column < HASH_COLUMNS - 1; column++) {
      const darker =
        cellMean(levels, width, height, column, row) < cellMean(levels, width, height, column + 1, row);
      hash = (hash << 1n) | (darker ? 1n : 0n);
    }
  return hash.toString(16).padStart(16, '0');
}

function cellMean(levels: Float32Array, width: number, height: number, column: number, row: number): number {
  const [left, right] = cell(width, column, HASH_COLUMNS);
  const [top, bottom] = cell(height, row, HASH_ROWS);
  let sum = 0;
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += levels[y * width + x]!;
  return sum / ((right - left) * (bottom - top));
}

/**
 * Returns the first pixel of a cell and the one after its last. A cell has at least one pixel, also if there are more cells than pixels.
 */
function cell(length: number, index: number, cells: number): [number, number] {
  const first = Math.floor((index * length) / cells);
  return [first, Math.max(first + 1, Math.floor(((index + 1) * length) / cells))];
}
