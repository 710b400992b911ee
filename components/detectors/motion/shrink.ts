/** Shrinks frames to small grey pictures for motion detection. */
import type { Frame } from '../../sdk/detector.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface GreyPicture extends Size {
  /** One byte per pixel, row by row. */
  readonly data: Uint8Array;
}

/**
 * Returns a shrinker whose pictures have the proportions of this size. Other frames are stretched to them, so that regions that follow an
 * object can be compared. Each call overwrites the previous result.
 */
export function shrinker(width: number, height: number, longerSide: number): (frame: Frame) => GreyPicture {
  const scale = Math.max(1, Math.max(width, height) / longerSide);
  const small = {
    width: Math.max(1, Math.round(width / scale)),
    height: Math.max(1, Math.round(height / scale)),
  };
  const data = new Uint8Array(small.width * small.height);
  let grid = gridOf({ width, height }, small);
  return (frame) => {
    if (frame.width !== grid.width || frame.height !== grid.height) grid = gridOf(frame, small);
    average(frame.data, grid, data);
    return { ...small, data };
  };
}

/** Assignment of pixels to cells, for frames of one size. */
interface Grid {
  readonly width: number;
  readonly height: number;
  /** First pixel of each cell, and the end of the last one. */
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  /** Distance of the pixels of a cell that are sampled. */
  readonly step: number;
}

function gridOf({ width, height }: Size, small: Size): Grid {
  const columns = edges(width, small.width);
  const rows = edges(height, small.height);
  // A mean of about 2 x 2 to 3 x 3 samples per cell has little noise, however large the frame is.
  const step = Math.max(1, Math.floor(Math.max(width, height) / Math.max(small.width, small.height) / 2));
  return { width, height, columns, rows, step };
}

function average(source: Uint8Array, { width, columns, rows, step }: Grid, data: Uint8Array): void {
  let to = 0;
  for (let y = 0; y < rows.length - 1; y++) {
    const top = rows[y]!;
    const bottom = Math.max(top + 1, rows[y + 1]!);
    for (let x = 0; x < columns.length - 1; x++) {
      const left = columns[x]!;
      const right = Math.max(left + 1, columns[x + 1]!);
      let sum = 0;
      let count = 0;
      for (let row = top; row < bottom; row += step) {
        const end = (row * width + right) * 3;
        for (let i = (row * width + left) * 3; i < end; i += 3 * step) {
          sum += source[i]! * 77 + source[i + 1]! * 150 + source[i + 2]! * 29;
          count++;
        }
      }
      data[to++] = sum / (count * 256);
    }
  }
}

function edges(length: number, cells: number): Int32Array {
  return Int32Array.from({ length: cells + 1 }, (_, i) => Math.floor((i * length) / cells));
}
