/** A compact description of a frame's look, and the difference of two frames. */
import type { Frame } from '../../sdk/detector.ts';

const COLUMNS = 32;
const ROWS = 18;
/** Number of samples in each direction per cell. */
const SAMPLES = 3;
/** Number of levels per colour in the histogram. */
const LEVELS = 4;
/** Minimum mean difference of the three colours, 0 to 255, of a changed cell. */
const CHANGED = 24;

export interface Fingerprint {
  /** Mean red, green and blue of each cell of a coarse grid. */
  readonly cells: Uint8Array;
  /** Share of the picture in each of LEVELS ** 3 colours. The shares add up to 1. */
  readonly colours: Float32Array;
}

export function fingerprint(frame: Frame): Fingerprint {
  const { width, height, data } = frame;
  const cells = new Uint8Array(COLUMNS * ROWS * 3);
  const colours = new Float32Array(LEVELS ** 3);
  const xs = positions(width, COLUMNS * SAMPLES);
  const ys = positions(height, ROWS * SAMPLES);
  for (let cell = 0; cell < COLUMNS * ROWS; cell++) {
    const left = (cell % COLUMNS) * SAMPLES;
    const top = Math.floor(cell / COLUMNS) * SAMPLES;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let y = top; y < top + SAMPLES; y++) {
      const row = ys[y]! * width;
      for (let x = left; x < left + SAMPLES; x++) {
        const i = (row + xs[x]!) * 3;
        red += data[i]!;
        green += data[i + 1]!;
        blue += data[i + 2]!;
      }
    }
    const count = SAMPLES * SAMPLES;
    cells[cell * 3] = red / count;
    cells[cell * 3 + 1] = green / count;
    cells[cell * 3 + 2] = blue / count;
    spread(colours, red / count, green / count, blue / count);
  }
  return { cells, colours };
}

/**
 * Counts one cell, distributed among the nearest colours. A small change of light, which moves a cell to another level, then changes the
 * histogram only a little.
 */
function spread(colours: Float32Array, red: number, green: number, blue: number): void {
  const share = 1 / (COLUMNS * ROWS);
  const scale = (LEVELS - 1) / 255;
  const r = red * scale;
  const g = green * scale;
  const b = blue * scale;
  const r0 = Math.min(LEVELS - 2, Math.floor(r));
  const g0 = Math.min(LEVELS - 2, Math.floor(g));
  const b0 = Math.min(LEVELS - 2, Math.floor(b));
  for (let corner = 0; corner < 8; corner++) {
    const dr = corner & 1;
    const dg = (corner >> 1) & 1;
    const db = corner >> 2;
    const weight = (dr ? r - r0 : 1 - (r - r0)) * (dg ? g - g0 : 1 - (g - g0)) * (db ? b - b0 : 1 - (b - b0));
    colours[((r0 + dr) * LEVELS + g0 + dg) * LEVELS + b0 + db]! += weight * share;
  }
}

/**
 * Difference of two frames, 0 to 1: the mean of the changed shares of colours and of places. A new object changes as much as it covers. A
 * moving camera changes places but not colours. A cut changes both.
 */
export function unlikeness(a: Fingerprint, b: Fingerprint): number {
  let moved = 0;
  for (let i = 0; i < a.colours.length; i++) moved += Math.abs(a.colours[i]! - b.colours[i]!);
  let changed = 0;
  for (let i = 0; i < a.cells.length; i += 3) {
    const difference =
      Math.abs(a.cells[i]! - b.cells[i]!) +
      Math.abs(a.cells[i + 1]! - b.cells[i + 1]!) +
      Math.abs(a.cells[i + 2]! - b.cells[i + 2]!);
    if (difference > 3 * CHANGED) changed++;
  }
  return (moved / 2 + changed / (COLUMNS * ROWS)) / 2;
}

function positions(length: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * length) / count));
}
