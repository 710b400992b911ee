/** Whether a frame shows anything new since the last frame that was read, looked at in small. */
import type { Picture } from './lines/resample.ts';

/** A frame is looked at in this many cells along its longer side. */
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

/** True when any cell differs by at least so many grey levels, or the frames differ in size. A threshold of 0 is always met. */
export function hasChanged(before: Glimpse, now: Glimpse, threshold: number): boolean {
  if (before.width !== now.width || before.height !== now.height) return true;
  return now.cells.some((level, i) => Math.abs(level - before.cells[i]!) >= threshold);
}
