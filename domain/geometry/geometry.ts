/** Boxes in pixels, x to the right and y downwards, and the positions of rotated or mirrored detections. */
import type { Properties } from '../types.ts';
import { parseBoolean, parseNumber } from '../values.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function isEmptyBox(box: Box): boolean {
  return !(box.width > 0 && box.height > 0);
}

/** The common part of two boxes. Its width or height is 0 or negative if there is none. */
export function intersection(a: Box, b: Box): Box {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return { x, y, width, height };
}

/** Intersection over union, 0 to 1; 0 if the boxes do not overlap. */
export function iou(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (!(width > 0 && height > 0)) return 0;
  const common = width * height;
  return common / (a.width * a.height + b.width * b.height - common);
}

/** Orientation of the object in a box: degrees, and whether it is mirrored left to right. */
export interface Orientation {
  readonly rotation: number;
  readonly flip: boolean;
}

/** Reads ROTATION and HORIZONTAL_FLIP of a detection. Invalid numbers count as 0. */
export function orientationOf(properties: Properties): Orientation {
  const rotation = parseNumber(properties['ROTATION']) ?? 0;
  return {
    rotation: Number.isFinite(rotation) ? rotation : 0,
    flip: parseBoolean(properties['HORIZONTAL_FLIP']) ?? false,
  };
}

/** Maps (x, y) to (xx x + xy y, yx x + yy y). */
export interface LinearMap {
  readonly xx: number;
  readonly xy: number;
  readonly yx: number;
  readonly yy: number;
}

/** Rotates clockwise. Exact at multiples of 90 degrees, where sine and cosine have rounding errors. */
export function rotationMap(degrees: number): LinearMap {
  const quarter = (((degrees / 90) % 4) + 4) % 4;
  const exact = Number.isInteger(quarter);
  const sin = exact ? ([0, 1, 0, -1][quarter] ?? 0) : Math.sin((degrees * Math.PI) / 180);
  const cos = exact ? ([1, 0, -1, 0][quarter] ?? 1) : Math.cos((degrees * Math.PI) / 180);
  return { xx: cos, xy: -sin, yx: sin, yy: cos };
}

/** Mirrors the result of a map left to right. */
export function mirrorMap(map: LinearMap): LinearMap {
  return { xx: -map.xx, xy: -map.xy, yx: map.yx, yy: map.yy };
}

export function applyMap(map: LinearMap, { x, y }: Point): Point {
  return { x: map.xx * x + map.xy * y, y: map.yx * x + map.yy * y };
}

/** The inverse of a map that preserves lengths, which is its transpose. */
export function inverseOf(map: LinearMap): LinearMap {
  return { xx: map.xx, xy: map.yx, yx: map.xy, yy: map.yy };
}

/** The smallest upright box around some points. */
export function boundingBox(points: readonly Point[]): Box {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** Top left, top right, bottom right and bottom left of an upright box. */
export function cornersOf({ x, y, width, height }: Box): readonly Point[] {
  return [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ];
}

/**
 * The four corners of a detection in the frame. The box is rotated counter-clockwise around its top left corner, then mirrored at the
 * vertical line through that corner.
 */
export function cornersInFrame(box: Box, { rotation, flip }: Orientation): readonly Point[] {
  const turn = rotationMap(-rotation);
  const map = flip ? mirrorMap(turn) : turn;
  return cornersOf({ x: 0, y: 0, width: box.width, height: box.height }).map((corner) => {
    const { x, y } = applyMap(map, corner);
    return { x: box.x + x, y: box.y + y };
  });
}

/** True if a rectangle, given by its corners, and an upright box overlap. Touching is not enough. */
export function overlapsBox(rectangle: readonly Point[], box: Box): boolean {
  const upright = cornersOf(box);
  const [a, b, , d] = rectangle;
  if (a === undefined || b === undefined || d === undefined) return false;
  const axes: readonly Point[] = [
    { x: 1, y: 0 },
    { x: 0, y: 1 },
    { x: b.x - a.x, y: b.y - a.y },
    { x: d.x - a.x, y: d.y - a.y },
  ];
  return axes.every((axis) => {
    const along = (p: Point): number => p.x * axis.x + p.y * axis.y;
    const ours = rectangle.map(along);
    const theirs = upright.map(along);
    return Math.min(...ours) < Math.max(...theirs) && Math.min(...theirs) < Math.max(...ours);
  });
}
