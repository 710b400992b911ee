/**
 * Finds the angles of slanted lines. The network finds horizontal and vertical text. It finds only pieces of slanted text, or nothing. The
 * pieces show the angle by which the picture must be turned for a second search.
 */
import type { Rectangle } from './rectangles.ts';

/** Maximum slant in radians of lines that are found completely. */
const SLIGHT = (12 * Math.PI) / 180;
/** Maximum difference of angles with the same slant. */
const ALIKE = (15 * Math.PI) / 180;
/** Minimum ratio of length to thickness of a region that shows its line's slant. */
const ELONGATED = 1.5;
/** Minimum share of the slanted text for a second direction. */
const SECOND_SHARE = 0.25;
const MOST_DIRECTIONS = 2;
const QUARTER = Math.PI / 2;

/** Returns the angles of slanted lines, in radians within (-45, 45] degrees. Angles with the most text come first. */
export function slantsOf(lines: readonly Rectangle[]): readonly number[] {
  let left = lines.filter(
    ({ width, height, angle }) =>
      Math.abs(angle) > SLIGHT && Math.max(width, height) > ELONGATED * Math.min(width, height),
  );
  const all = totalLength(left);
  const angles: number[] = [];
  while (left.length > 0 && angles.length < MOST_DIRECTIONS) {
    const longest = left.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
    const alike = left.filter((line) => isAlike(line.angle, longest.angle));
    if (angles.length > 0 && totalLength(alike) < SECOND_SHARE * all) break;
    angles.push(meanAngle(alike, longest.angle));
    left = left.filter((line) => !isAlike(line.angle, longest.angle));
  }
  return angles;
}

export function isAlike(a: number, b: number): boolean {
  return Math.abs(difference(a, b)) <= ALIKE;
}

/** Returns the angle from b to a without quarter turns, in (-45, 45] degrees. */
export function difference(a: number, b: number): number {
  return a - b - QUARTER * Math.ceil((a - b) / QUARTER - 0.5);
}

function meanAngle(lines: readonly Rectangle[], around: number): number {
  const sum = lines.reduce((total, line) => total + lengthOf(line) * difference(line.angle, around), 0);
  return difference(around + sum / totalLength(lines), 0);
}

function totalLength(lines: readonly Rectangle[]): number {
  return lines.reduce((total, line) => total + lengthOf(line), 0);
}

function lengthOf({ width, height }: Rectangle): number {
  return Math.max(width, height);
}

export interface Planes {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Returns three planes as if the camera was turned clockwise by an angle. Areas outside repeat the edge. */
export function turnedPlanes(
  planes: Planes,
  angle: number,
  to: Pick<Planes, 'width' | 'height'>,
  scale: number,
): Planes {
  const { data, width, height } = planes;
  const area = width * height;
  const outArea = to.width * to.height;
  const out = new Float32Array(3 * outArea);
  const cos = Math.cos(angle) / scale;
  const sin = Math.sin(angle) / scale;
  for (let v = 0, at = 0; v < to.height; v++) {
    const down = v + 0.5 - to.height / 2;
    for (let u = 0; u < to.width; u++, at++) {
      const right = u + 0.5 - to.width / 2;
      const x = within(width / 2 + right * cos - down * sin - 0.5, width - 1);
      const y = within(height / 2 + right * sin + down * cos - 0.5, height - 1);
      const left = Math.floor(x);
      const top = Math.floor(y);
      const fx = x - left;
      const fy = y - top;
      const first = top * width + left;
      const beside = left + 1 < width ? 1 : 0;
      const below = top + 1 < height ? width : 0;
      for (let channel = 0; channel < 3; channel++) {
        const a = channel * area + first;
        const upper = data[a]! * (1 - fx) + data[a + beside]! * fx;
        const lower = data[a + below]! * (1 - fx) + data[a + below + beside]! * fx;
        out[channel * outArea + at] = upper * (1 - fy) + lower * fy;
      }
    }
  }
  return { data: out, width: to.width, height: to.height };
}

function within(value: number, most: number): number {
  return value < 0 ? 0 : value > most ? most : value;
}

/** Converts a rectangle of turned planes to the original planes. */
export function turnedBack(
  line: Rectangle,
  angle: number,
  from: Pick<Planes, 'width' | 'height'>,
  to: Pick<Planes, 'width' | 'height'>,
  scale: number,
): Rectangle {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const right = (line.centre.x - from.width / 2) / scale;
  const down = (line.centre.y - from.height / 2) / scale;
  return upright({
    centre: {
      x: to.width / 2 + right * cos - down * sin,
      y: to.height / 2 + right * sin + down * cos,
    },
    width: line.width / scale,
    height: line.height / scale,
    angle: line.angle + angle,
  });
}

/** Returns the same rectangle with its angle in (-45, 45] degrees. */
function upright({ centre, width, height, angle }: Rectangle): Rectangle {
  const within45 = difference(angle, 0);
  const quarters = Math.round((angle - within45) / QUARTER);
  return quarters % 2 === 0
    ? { centre, width, height, angle: within45 }
    : { centre, width: height, height: width, angle: within45 };
}
