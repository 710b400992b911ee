/** Brings frames to a small grey picture in which motion is looked for. */
import type { Frame } from '../sdk/detector.ts';

export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row. */
  readonly data: Uint8Array;
}

/** Makes a shrinker for frames of one size; its answer is overwritten by the next call. */
export function shrinker(width: number, height: number, longerSide: number): (frame: Frame) => GreyPicture {
  const scale = Math.max(1, Math.max(width, height) / longerSide);
  const small = {
    width: Math.max(1, Math.round(width / scale)),
    height: Math.max(1, Math.round(height / scale)),
  };
  const data = new Uint8Array(small.width * small.height);
  const columns = edges(width, small.width);
  const rows = edges(height, small.height);
  // A mean of about 2 x 2 to 3 x 3 samples a cell is quiet enough, however large the frame is.
  const step = Math.max(1, Math.floor(scale / 2));
  return (frame) => {
    const source = frame.data;
    let to = 0;
    for (let y = 0; y < small.height; y++) {
      const bottom = rows[y + 1]!;
      for (let x = 0; x < small.width; x++) {
        const right = columns[x + 1]!;
        let sum = 0;
        let count = 0;
        for (let row = rows[y]!; row < bottom; row += step) {
          const end = (row * width + right) * 3;
          for (let i = (row * width + columns[x]!) * 3; i < end; i += 3 * step) {
            sum += source[i]! * 77 + source[i + 1]! * 150 + source[i + 2]! * 29;
            count++;
          }
        }
        data[to++] = sum / (count * 256);
      }
    }
    return { ...small, data };
  };
}

function edges(length: number, cells: number): Int32Array {
  return Int32Array.from({ length: cells + 1 }, (_, i) => Math.floor((i * length) / cells));
}
