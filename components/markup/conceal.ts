/** Makes what lies in a box unrecognisable, straight in tightly packed RGB. */
import { boundingBox, type Point } from '../../domain/geometry.ts';
import type { Surface } from './paint.ts';

/** Blocks along the longer side of a box, and how many pixels they have at least. */
const BLOCKS = 8;
const LEAST_BLOCK = 4;
/** Of the longer side: so far each pass of the blur reaches to each side. */
const REACH = 0.2;
const LEAST_REACH = 3;
/** Three means after each other come near to a Gaussian. */
const PASSES = 3;
/** A pixel that the edge of a box only touches is concealed, too. */
const TOUCH = 0.71;

/** Pixels of the surface, the last column and row excluded. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Of the whole box, of which parts may lie outside. */
  readonly longer: number;
}

/** In blocks of one colour, the mean of what they cover. `points` are the corners of the box, in their order. */
export function pixelate(surface: Surface, points: readonly Point[]): void {
  const area = areaOf(surface, points);
  const block = Math.max(LEAST_BLOCK, Math.ceil(area.longer / BLOCKS));
  const isInside = insideOf(points);
  for (let top = area.top; top < area.bottom; top += block)
    for (let left = area.left; left < area.right; left += block)
      fillWithMean(
        surface,
        {
          ...area,
          left,
          top,
          right: Math.min(area.right, left + block),
          bottom: Math.min(area.bottom, top + block),
        },
        isInside,
      );
}

function fillWithMean({ data, width }: Surface, { left, top, right, bottom }: Area, isInside: Inside): void {
  const sums = [0, 0, 0];
  // Pixels begin at multiples of three.
  for (let y = top; y < bottom; y++)
    for (let at = (y * width + left) * 3; at < (y * width + right) * 3; at++) sums[at % 3]! += data[at] ?? 0;
  const count = (right - left) * (bottom - top);
  const mean = sums.map((sum) => Math.round(sum / count));
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) if (isInside(x, y)) data.set(mean, (y * width + x) * 3);
}

/** Blurred so far that a face is a spot. What lies around the box does not run into it. */
export function blur(surface: Surface, points: readonly Point[]): void {
  const area = areaOf(surface, points);
  const [columns, rows] = [area.right - area.left, area.bottom - area.top];
  if (columns <= 0 || rows <= 0) return;
  const reach = Math.max(LEAST_REACH, Math.round(area.longer * REACH));
  let from = copyOf(surface, area);
  let to = new Uint8Array(from.length);
  for (let pass = 0; pass < PASSES; pass++) {
    means(from, to, { lines: rows, length: columns, step: 3, stride: columns * 3, reach });
    means(to, from, { lines: columns, length: rows, step: columns * 3, stride: 3, reach });
  }
  const isInside = insideOf(points);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      if (!isInside(area.left + x, area.top + y)) continue;
      const at = (y * columns + x) * 3;
      surface.data.set(from.subarray(at, at + 3), ((area.top + y) * surface.width + area.left + x) * 3);
    }
}

function copyOf({ data, width }: Surface, { left, top, right, bottom }: Area): Uint8Array {
  const row = (right - left) * 3;
  const copy = new Uint8Array(row * (bottom - top));
  for (let y = top; y < bottom; y++) {
    const at = (y * width + left) * 3;
    copy.set(data.subarray(at, at + row), (y - top) * row);
  }
  return copy;
}

interface Walk {
  readonly lines: number;
  readonly length: number;
  /** From a pixel of a line to its next, and from a line to the next. */
  readonly step: number;
  readonly stride: number;
  readonly reach: number;
}

/** Each pixel becomes the mean of those of its line that lie within reach; the sum goes along. */
function means(from: Uint8Array, to: Uint8Array, { lines, length, step, stride, reach }: Walk): void {
  for (let line = 0; line < lines; line++)
    for (let channel = 0; channel < 3; channel++) {
      const start = line * stride + channel;
      let [sum, count] = [0, 0];
      for (let next = 0; next < Math.min(reach, length); next++, count++) sum += from[start + next * step]!;
      for (let at = 0; at < length; at++) {
        if (at + reach < length) {
          sum += from[start + (at + reach) * step]!;
          count++;
        }
        if (at > reach) {
          sum -= from[start + (at - reach - 1) * step]!;
          count--;
        }
        to[start + at * step] = sum / count + 0.5;
      }
    }
}

function areaOf({ width, height }: Surface, points: readonly Point[]): Area {
  const box = boundingBox(points);
  const within = (value: number, most: number): number => Math.min(Math.max(0, value), most);
  return {
    left: within(Math.floor(box.x), width),
    top: within(Math.floor(box.y), height),
    right: within(Math.ceil(box.x + box.width), width),
    bottom: within(Math.ceil(box.y + box.height), height),
    longer: Math.max(box.width, box.height),
  };
}

type Inside = (x: number, y: number) => boolean;

/** Whether something of a pixel lies in the box, which may slant. */
function insideOf(points: readonly Point[]): Inside {
  const edges = points.map((from, index) => {
    const to = points[(index + 1) % points.length] ?? from;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    return { from, x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  });
  return (x, y) => {
    let [before, behind] = [false, false];
    for (const { from, x: dx, y: dy } of edges) {
      const distance = dx * (y + 0.5 - from.y) - dy * (x + 0.5 - from.x);
      before ||= distance < -TOUCH;
      behind ||= distance > TOUCH;
    }
    // A mirrored box has its corners the other way round.
    return !(before && behind);
  };
}
