/** Rectangles at any angle, which lines of text cover. Coordinates are pixels, and y grows downwards. */
import type { Box } from '../../../../domain/geometry/geometry.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `angle` is in radians, clockwise on the screen, in (-45, 45] degrees. `width` is along the angle and `height` across. */
export interface Rectangle {
  readonly centre: Point;
  readonly width: number;
  readonly height: number;
  readonly angle: number;
}

/** Returns the rectangle of the smallest area around at least one point. One of its sides is on the convex hull. */
export function smallestRectangle(points: readonly Point[]): Rectangle {
  const hull = convexHull(points);
  let best = rectangleAt(hull, 0);
  for (let i = 0; i < hull.length; i++) {
    const from = hull[i]!;
    const to = hull[(i + 1) % hull.length]!;
    const candidate = rectangleAt(hull, uprightAngle(Math.atan2(to.y - from.y, to.x - from.x)));
    if (candidate.width * candidate.height < best.width * best.height) best = candidate;
  }
  return best;
}

/** Moves every side outwards by `distance`. */
export function growRectangle(rectangle: Rectangle, distance: number): Rectangle {
  return { ...rectangle, width: rectangle.width + 2 * distance, height: rectangle.height + 2 * distance };
}

export function scaleRectangle(rectangle: Rectangle, factor: number): Rectangle {
  return {
    centre: { x: rectangle.centre.x * factor, y: rectangle.centre.y * factor },
    width: rectangle.width * factor,
    height: rectangle.height * factor,
    angle: rectangle.angle,
  };
}

export function contains({ centre, width, height, angle }: Rectangle, { x, y }: Point): boolean {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = (x - centre.x) * cos + (y - centre.y) * sin;
  const across = (y - centre.y) * cos - (x - centre.x) * sin;
  return 2 * Math.abs(along) <= width && 2 * Math.abs(across) <= height;
}

/** Returns the upright box around a rectangle, in whole pixels inside a picture. */
export function boxAround(rectangle: Rectangle, width: number, height: number): Box {
  const { centre, angle } = rectangle;
  const cos = Math.abs(Math.cos(angle));
  const sin = Math.abs(Math.sin(angle));
  const halfWidth = (rectangle.width * cos + rectangle.height * sin) / 2;
  const halfHeight = (rectangle.width * sin + rectangle.height * cos) / 2;
  const left = clamp(Math.floor(centre.x - halfWidth), 0, width - 1);
  const top = clamp(Math.floor(centre.y - halfHeight), 0, height - 1);
  const right = clamp(Math.ceil(centre.x + halfWidth), left + 1, width);
  const bottom = clamp(Math.ceil(centre.y + halfHeight), top + 1, height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Intersection over union: 1 for equal boxes, 0 for separate ones. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
}

/** Turns an angle by quarters into (-45, 45] degrees. */
function uprightAngle(angle: number): number {
  const quarter = Math.PI / 2;
  return angle - quarter * Math.ceil(angle / quarter - 0.5);
}

function rectangleAt(points: readonly Point[], angle: number): Rectangle {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    const u = x * cos + y * sin;
    const v = y * cos - x * sin;
    minU = Math.min(minU, u);
    maxU = Math.max(maxU, u);
    minV = Math.min(minV, v);
    maxV = Math.max(maxV, v);
  }
  const u = (minU + maxU) / 2;
  const v = (minV + maxV) / 2;
  return {
    centre: { x: u * cos - v * sin, y: u * sin + v * cos },
    width: maxU - minU,
    height: maxV - minV,
    angle,
  };
}

/** Returns the convex hull by Andrew's monotone chain. */
function convexHull(points: readonly Point[]): readonly Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y);
  const lower = halfHull(sorted);
  const upper = halfHull(sorted.toReversed());
  return lower.length + upper.length <= 2 ? lower : [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function halfHull(sorted: readonly Point[]): Point[] {
  const hull: Point[] = [];
  for (const point of sorted) {
    while (hull.length >= 2 && isNoCorner(hull[hull.length - 2]!, hull[hull.length - 1]!, point)) hull.pop();
    hull.push(point);
  }
  return hull;
}

/** True if `b` is on or inside the path from `a` to `c`. */
function isNoCorner(a: Point, b: Point, c: Point): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
