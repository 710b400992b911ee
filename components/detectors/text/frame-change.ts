/** Detects on a reduced frame whether it differs from the last read frame. */
import type { Picture } from './lines/resample.ts';

/** Number of cells along the frame's longer side. */
const CELLS = 240;

/** Mean grey levels of a frame's cells. */
export interface Glimpse {
  readonly width: number;
  readonly height: number;
  readonly cells: Float32Array;
}

export function glimpse(picture: Picture): Glimpse {
  const { width, height, data } = picture;
  const size = Math.max(1, Math.ceil(Math.max(width, height) / CELLS));
  const across = Math.ceil(width / size);
  const cells = new Float32Array(across * Math.ceil(height / size));
  let at = 0;
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / size) * across;
    for (let x = 0; x < width; x++, at += 3)
      cells[row + Math.floor(x / size)]! += 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  }
  for (let i = 0; i < cells.length; i++) cells[i]! /= size * size;
  return { width, height, cells };
}

/** True if any cell differs by at least `threshold` grey levels, or the frame sizes differ. Always true for a threshold of 0. */
export function hasChanged(before: Glimpse, now: Glimpse, threshold: number): boolean {
  if (before.width !== now.width || before.height !== now.height) return true;
  return now.cells.some((level, i) => Math.abs(level - before.cells[i]!) >= threshold);
}
