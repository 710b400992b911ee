/**
 * Shrinks a region of a picture: each target pixel is the mean of its source pixels. Common ratios have their own loops, which take a third
 * of the time.
 */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Frame } from '../../sdk/detector.ts';
import type { Target } from './target.ts';

/** Averages the region. It is in whole pixels, inside the frame, and has at least one pixel for each target pixel. */
export function average(frame: Frame, region: Box, target: Target): void {
  if (isTimes(2, region, target)) average2(frame, region, target);
  else if (isTimes(3, region, target)) average3(frame, region, target);
  else averageAny(frame, region, target);
}

const isTimes = (factor: number, region: Box, { width, height }: Target): boolean =>
  region.width === factor * width && region.height === factor * height;

/** Averages 2 x 2 pixels, such as 1280 x 720 for a network of 640 x 640. */
function average2({ data, width: across }: Frame, region: Box, target: Target): void {
  const { values, row, padX, padY, width, height, step, scale, shift } = target;
  const [red, green, blue] = target.first;
  const line = across * 3;
  for (let y = 0; y < height; y++) {
    let i = (region.y + 2 * y) * line + region.x * 3;
    let j = i + line;
    let to = ((padY + y) * row + padX) * step;
    for (let x = 0; x < width; x++) {
      const r = data[i]! + data[i + 3]! + data[j]! + data[j + 3]!;
      const g = data[i + 1]! + data[i + 4]! + data[j + 1]! + data[j + 4]!;
      const b = data[i + 2]! + data[i + 5]! + data[j + 2]! + data[j + 5]!;
      values[red + to] = r * 0.25 * scale[0] + shift[0];
      values[green + to] = g * 0.25 * scale[1] + shift[1];
      values[blue + to] = b * 0.25 * scale[2] + shift[2];
      i += 6;
      j += 6;
      to += step;
    }
  }
}

/** Averages 3 x 3 pixels, such as 1920 x 1080 for a network of 640 x 640. */
function average3({ data, width: across }: Frame, region: Box, target: Target): void {
  const { values, row, padX, padY, width, height, step, scale, shift } = target;
  const [red, green, blue] = target.first;
  const line = across * 3;
  const share = 1 / 9;
  for (let y = 0; y < height; y++) {
    const top = (region.y + 3 * y) * line + region.x * 3;
    let to = ((padY + y) * row + padX) * step;
    for (let x = 0; x < width; x++) {
      let [r, g, b] = [0, 0, 0];
      for (let i = top + x * 9, end = i + 3 * line; i < end; i += line) {
        r += data[i]! + data[i + 3]! + data[i + 6]!;
        g += data[i + 1]! + data[i + 4]! + data[i + 7]!;
        b += data[i + 2]! + data[i + 5]! + data[i + 8]!;
      }
      values[red + to] = r * share * scale[0] + shift[0];
      values[green + to] = g * share * scale[1] + shift[1];
      values[blue + to] = b * share * scale[2] + shift[2];
      to += step;
    }
  }
}

/** Averages any ratio. For many pixels per cell, it samples only some columns and rows. */
function averageAny(frame: Frame, region: Box, target: Target): void {
  const { row, padX, padY, width, height, step: apart } = target;
  const columns = edges(region.x, region.width, width);
  const rows = edges(region.y, region.height, height);
  const step = Math.max(1, Math.floor(region.width / width / 2));
  const sums = new Int32Array(width * 3);
  const counts = Int32Array.from({ length: width }, (_, x) =>
    Math.ceil((columns[x + 1]! - columns[x]!) / step),
  );
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    let lines = 0;
    for (let line = rows[y]!; line < rows[y + 1]!; line += step) {
      addLine(frame.data, line * frame.width * 3, { columns, step, sums });
      lines++;
    }
    write({ sums, counts, lines }, target, ((padY + y) * row + padX) * apart);
  }
}

interface Line {
  readonly columns: Int32Array;
  readonly step: number;
  readonly sums: Int32Array;
}

function addLine(data: Uint8Array, start: number, { columns, step, sums }: Line): void {
  const next = 3 * step;
  let left = start + columns[0]! * 3;
  for (let x = 1, to = 0; x < columns.length; x++, to += 3) {
    const right = start + columns[x]! * 3;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let i = left; i < right; i += next) {
      red += data[i]!;
      green += data[i + 1]!;
      blue += data[i + 2]!;
    }
    sums[to]! += red;
    sums[to + 1]! += green;
    sums[to + 2]! += blue;
    left = right;
  }
}

interface Summed {
  readonly sums: Int32Array;
  /** Number of pixels of each column per line. */
  readonly counts: Int32Array;
  readonly lines: number;
}

function write(
  { sums, counts, lines }: Summed,
  { values, first, step, scale, shift }: Target,
  start: number,
): void {
  const [red, green, blue] = first;
  for (let x = 0, from = 0, to = start; x < counts.length; x++, from += 3, to += step) {
    const share = 1 / (counts[x]! * lines);
    values[red + to] = sums[from]! * share * scale[0] + shift[0];
    values[green + to] = sums[from + 1]! * share * scale[1] + shift[1];
    values[blue + to] = sums[from + 2]! * share * scale[2] + shift[2];
  }
}

function edges(start: number, length: number, cells: number): Int32Array {
  return Int32Array.from({ length: cells + 1 }, (_, i) => start + Math.floor((i * length) / cells));
}
