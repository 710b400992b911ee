/** Aligns a face by its eyes and mouth to the position that the network expects in a square. */
import type { Point } from '../../../domain/geometry/geometry.ts';
import type { Frame } from '../../sdk/detector.ts';

/** Positions of a face's eyes and mouth, in pixels of a frame. */
export interface FaceMarks {
  readonly rightEye: Point;
  readonly leftEye: Point;
  readonly mouth: Point;
}

/** A square in a frame. Its upper side is parallel to the unit vector `along`. */
export interface FaceSquare {
  readonly centre: Point;
  readonly side: number;
  readonly along: Point;
}

/** Alignment of @vladmandic/face-api for this network (`alignDlib`): distance from the eyes to the mouth as a share of the side. */
const EYES_TO_MOUTH = 0.45;
/** Distance of the mean of eyes and mouth from the upper edge, as a share of the side. */
const MARKS_FROM_TOP = 0.43;
/** Maximum number of pixels in a row or column that are averaged for one pixel of the square. */
const MOST_SAMPLES = 8;

export function squareOf({ rightEye, leftEye, mouth }: FaceMarks): FaceSquare {
  const between = { x: leftEye.x - rightEye.x, y: leftEye.y - rightEye.y };
  const apart = Math.hypot(between.x, between.y);
  const along = apart > 0 ? { x: between.x / apart, y: between.y / apart } : { x: 1, y: 0 };
  const side = (distance(rightEye, mouth) + distance(leftEye, mouth)) / 2 / EYES_TO_MOUTH;
  const down = (0.5 - MARKS_FROM_TOP) * side;
  return {
    side,
    along,
    centre: {
      x: (rightEye.x + leftEye.x + mouth.x) / 3 - along.y * down,
      y: (rightEye.y + leftEye.y + mouth.y) / 3 + along.x * down,
    },
  };
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** Returns the square as an upright picture of `size` by `size` pixels. Parts outside the frame are black. */
export function cutSquare(frame: Frame, { centre, side, along }: FaceSquare, size: number): Frame {
  const data = new Uint8Array(size * size * 3);
  const step = side / size;
  const samples = Math.max(1, Math.min(MOST_SAMPLES, Math.round(step)));
  const sums: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < size * size; at++) {
    sums.fill(0);
    for (let i = 0; i < samples * samples; i++) {
      const right = ((at % size) + ((i % samples) + 0.5) / samples - size / 2) * step;
      const down = (Math.floor(at / size) + (Math.floor(i / samples) + 0.5) / samples - size / 2) * step;
      const x = centre.x + right * along.x - down * along.y;
      const y = centre.y + right * along.y + down * along.x;
      addPixel(frame, x - 0.5, y - 0.5, sums);
    }
    for (let c = 0; c < 3; c++) data[at * 3 + c] = Math.round(sums[c]! / (samples * samples));
  }
  return { ...frame, width: size, height: size, data };
}

export function mirror(picture: Frame): Frame {
  const { width, height } = picture;
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const column = at % width;
    const from = (at + width - 1 - 2 * column) * 3;
    data.set(picture.data.subarray(from, from + 3), at * 3);
  }
  return { ...picture, data };
}

/** Adds the interpolated colours at a point. */
function addPixel({ width, height, data }: Frame, x: number, y: number, sums: number[]): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  for (let i = 0; i < 4; i++) {
    const [column, row] = [left + (i & 1), top + (i >> 1)];
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
    const from = (row * width + column) * 3;
    for (let c = 0; c < 3; c++) sums[c]! += weight * data[from + c]!;
  }
}
