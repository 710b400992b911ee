/** Geometry of zones and lines. A border belongs to one side only, so neighbours never share a point. */
import type { Anchor, Direction, Line, Point, SeenBox } from './types.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The anchor point of a box, in fractions of the picture. */
export function anchorPoint(box: SeenBox, { width, height }: PictureSize, anchor: Anchor): Point {
  const bottom = anchor === 'BOTTOM' ? box.height : box.height / 2;
  return [(box.x + box.width / 2) / width, (box.y + bottom) / height];
}

/** Even-odd rule. */
export function isInside([x, y]: Point, points: readonly Point[]): boolean {
  let inside = false;
  let [bx, by] = points.at(-1)!;
  for (const [ax, ay] of points) {
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    [bx, by] = [ax, ay];
  }
  return inside;
}

/** Positive if the point is on the right when looking from `a` to `b`, because the vertical axis of a picture points down. */
const sideOf = ([px, py]: Point, [ax, ay]: Point, [bx, by]: Point): number =>
  (bx - ax) * (py - ay) - (by - ay) * (px - ax);

/** The direction in which a step crosses a line. Undefined if it does not. A point on the line counts as on its right. */
export function crossingOf(from: Point, to: Point, { points: [a, b] }: Line): Direction | undefined {
  const [before, after] = [sideOf(from, a, b), sideOf(to, a, b)];
  if (before >= 0 === after >= 0) return undefined;
  const share = before / (before - after);
  const at: Point = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const along = ((at[0] - a[0]) * dx + (at[1] - a[1]) * dy) / (dx * dx + dy * dy);
  if (along < 0 || along > 1) return undefined;
  return after >= 0 ? 'TO_RIGHT' : 'TO_LEFT';
}

/** Two non-adjacent edges with a common point, by the numbers of their first corners. Undefined if there are none. */
export function crossedEdges(points: readonly Point[]): readonly [number, number] | undefined {
  for (let first = 0; first < points.length; first++) {
    for (let second = first + 1; second < points.length; second++) {
      const follows = second === first + 1 || (first === 0 && second === points.length - 1);
      const [a, b] = [edge(points, first), edge(points, second)];
      if (follows ? turnsBack(a, b) : touches(a, b)) return [first, second];
    }
  }
  return undefined;
}

type Edge = readonly [Point, Point];

const edge = (points: readonly Point[], at: number): Edge => [points[at]!, points[(at + 1) % points.length]!];

function touches([a, b]: Edge, [c, d]: Edge): boolean {
  const [s1, s2] = [sideOf(c, a, b), sideOf(d, a, b)];
  const [s3, s4] = [sideOf(a, c, d), sideOf(b, c, d)];
  if (s1 > 0 !== s2 > 0 && s3 > 0 !== s4 > 0 && s1 * s2 < 0 && s3 * s4 < 0) return true;
  return (
    (s1 === 0 && isOn(c, a, b)) ||
    (s2 === 0 && isOn(d, a, b)) ||
    (s3 === 0 && isOn(a, c, d)) ||
    (s4 === 0 && isOn(b, c, d))
  );
}

/** True if the point is between both ends. All three are on one line. */
const isOn = ([px, py]: Point, [ax, ay]: Point, [bx, by]: Point): boolean =>
  px >= Math.min(ax, bx) && px <= Math.max(ax, bx) && py >= Math.min(ay, by) && py <= Math.max(ay, by);

/** True if two adjacent edges overlap. */
function turnsBack([a, b]: Edge, [c, d]: Edge): boolean {
  const [corner, one, other] = isSame(b, c) ? [b, a, d] : [a, b, c];
  if (sideOf(other, corner, one) !== 0) return false;
  return (one[0] - corner[0]) * (other[0] - corner[0]) + (one[1] - corner[1]) * (other[1] - corner[1]) > 0;
}

const isSame = (a: Point, b: Point): boolean => a[0] === b[0] && a[1] === b[1];

/** Area of the polygon as a share of the picture. */
export function areaOf(points: readonly Point[]): number {
  let sum = 0;
  let [bx, by] = points.at(-1) ?? [0, 0];
  for (const [ax, ay] of points) {
    sum += bx * ay - ax * by;
    [bx, by] = [ax, ay];
  }
  return Math.abs(sum) / 2;
}
