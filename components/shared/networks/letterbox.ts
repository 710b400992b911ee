/**
 * Draws a region of a picture into the square input of a network: complete, centred, with black padding, and values from -1 to 1. Shrinking
 * averages the pixels of each cell, which avoids aliasing. For many pixels per cell, every second or third column and row is enough. Other
 * scaling is bilinear.
 */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Frame } from '../../sdk/detector.ts';
import { average } from './shrink.ts';
import type { Target } from './target.ts';

/**
 * Converts points of the square to the picture: picture = square * scale + offset. The two scales differ because of rounding to whole
 * pixels of the square.
 */
export interface Placement {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

/** Converts a box of the network's input to pixels of the frame. */
export const inFrame = (box: Box, { scaleX, scaleY, left, top }: Placement): Box => ({
  x: box.x * scaleX + left,
  y: box.y * scaleY + top,
  width: box.width * scaleX,
  height: box.height * scaleY,
});

/** Fills `square` (side * side * 3 values) from `region`, which is in whole pixels and inside the frame. */
export function letterbox(frame: Frame, region: Box, square: Float32Array, side: number): Placement {
  const scale = Math.max(region.width, region.height) / side;
  const width = Math.max(1, Math.min(side, Math.round(region.width / scale)));
  const height = Math.max(1, Math.min(side, Math.round(region.height / scale)));
  const padX = (side - width) >> 1;
  const padY = (side - height) >> 1;
  square.fill(-1);
  draw(frame, region, { ...FROM_MINUS_ONE, values: square, row: side, padX, padY, width, height });
  const scaleX = region.width / width;
  const scaleY = region.height / height;
  return { scaleX, scaleY, left: region.x - padX * scaleX, top: region.y - padY * scaleY };
}

/** The colours of a pixel are adjacent. */
export const INTERLEAVED = { first: [0, 1, 2], step: 3 } as const;
const SCALE = 1 / 127.5;
const FROM_MINUS_ONE = { ...INTERLEAVED, scale: [SCALE, SCALE, SCALE], shift: [-1, -1, -1] } as const;

/** Draws the region, which is in whole pixels and inside the frame, at the size of the target. */
export function draw(frame: Frame, region: Box, target: Target): void {
  const ratios = [region.width / target.width, region.height / target.height];
  // An average needs at least one pixel for each cell.
  if (Math.max(...ratios) >= 2 && Math.min(...ratios) >= 1) average(frame, region, target);
  else interpolate(frame, region, target);
}

function interpolate(frame: Frame, region: Box, target: Target): void {
  const { values, row: side, padX, padY, width, height, first, step, scale, shift } = target;
  const data = frame.data;
  for (let y = 0; y < height; y++) {
    const sy = between(((y + 0.5) * region.height) / height - 0.5, region.height - 1);
    const y0 = Math.floor(sy);
    const fy = sy - y0;
    const upper = (region.y + y0) * frame.width + region.x;
    const lower = (region.y + Math.min(y0 + 1, region.height - 1)) * frame.width + region.x;
    let to = ((padY + y) * side + padX) * step;
    for (let x = 0; x < width; x++) {
      const sx = between(((x + 0.5) * region.width) / width - 0.5, region.width - 1);
      const x0 = Math.floor(sx);
      const x1 = Math.min(x0 + 1, region.width - 1);
      const fx = sx - x0;
      for (let c = 0; c < 3; c++) {
        const a = data[(upper + x0) * 3 + c]! * (1 - fx) + data[(upper + x1) * 3 + c]! * fx;
        const b = data[(lower + x0) * 3 + c]! * (1 - fx) + data[(lower + x1) * 3 + c]! * fx;
        values[first[c]! + to] = (a * (1 - fy) + b * fy) * scale[c]! + shift[c]!;
      }
      to += step;
    }
  }
}

function between(value: number, largest: number): number {
  return value < 0 ? 0 : value > largest ? largest : value;
}
