/** Conceals the content of a box in tightly packed RGB. */
import { boundingBox, type Point } from '../../../domain/geometry/geometry.ts';
import type { Surface } from './paint.ts';

/** Number of blocks along the longer side of a box, and minimum block size in pixels. */
const BLOCKS = 8;
const LEAST_BLOCK = 4;
/** Radius of each blur pass as a share of the longer side. */
const REACH = 0.2;
const LEAST_REACH = 3;
/** Three box blurs approximate a Gaussian. */
const PASSES = 3;
/** Maximum size of the blurred picture in pixels. A larger box is blurred at a reduced size, which looks the same. */
const MOST_BLURRED = 160;
/** Distance in pixels at which a pixel is also concealed if the edge of a box only touches it. */
const TOUCH = 0.71;

/** Pixels of the surface. `right` and `bottom` are exclusive. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Fills the box with blocks of the mean colour. `points` are the corners of the box in order. */
export function pixelate(surface: Surface, points: readonly Point[]): void {
  const { area, longer } = areaOf(surface, points);
  const block = Math.max(LEAST_BLOCK, Math.ceil(longer / BLOCKS));
  const spanIn = spansOf(points, area);
  for (let top = area.top; top < area.bottom; top += block)
    for (let left = area.left; left < area.right; left += block) {
      const right = Math.min(area.right, left + block);
      const bottom = Math.min(area.bottom, top + block);
      fillWithMean(surface, { left, top, right, bottom }, spanIn);
    }
}

function fillWithMean({ data, width }: Surface, area: Area, spanIn: Spans): void {
  const { left, top, right, bottom } = area;
  const [red, green, blue] = meanOf(data, width, area);
  for (let y = top; y < bottom; y++) {
    const span = spanIn(y);
    const end = (y * width + Math.min(right, span.end)) * 3;
    for (let at = (y * width + Math.max(left, span.start)) * 3; at < end; at += 3) {
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
    }
  }
}

type Rgb = readonly [red: number, green: number, blue: number];

function meanOf(data: Uint8Array, width: number, { left, top, right, bottom }: Area): Rgb {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < bottom; y++) {
    const end = (y * width + right) * 3;
    for (let at = (y * width + left) * 3; at < end; at += 3) {
      red += data[at]!;
      green += data[at + 1]!;
      blue += data[at + 2]!;
    }
  }
  const count = Math.max(1, (right - left) * (bottom - top));
  return [Math.round(red / count), Math.round(green / count), Math.round(blue / count)];
}

/** Blurs the box so strongly that a face becomes a spot. Pixels around the box do not blend into it. */
export function blur(surface: Surface, points: readonly Point[]): void {
  const { area, longer } = areaOf(surface, points);
  if (area.right <= area.left || area.bottom <= area.top) return;
  const cell = Math.max(1, Math.ceil(longer / MOST_BLURRED));
  const small = shrinkSurface(surface, area, cell);
  const { columns, rows } = small;
  const reach = Math.max(LEAST_REACH, Math.round((longer / cell) * REACH));
  const other = new Uint8Array(small.data.length);
  for (let pass = 0; pass < PASSES; pass++) {
    means(small.data, other, { lines: rows, length: columns, step: 3, stride: columns * 3, reach });
    means(other, small.data, { lines: columns, length: rows, step: columns * 3, stride: 3, reach });
  }
  enlarge(small, surface, area, spansOf(points, area));
}

/** A reduced area. Each pixel is the mean of `cell` x `cell` pixels of the surface, or of fewer at the right and lower edges. */
interface Small {
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
  readonly data: Uint8Array;
}

function shrinkSurface({ data, width }: Surface, area: Area, cell: number): Small {
  const columns = Math.ceil((area.right - area.left) / cell);
  const rows = Math.ceil((area.bottom - area.top) / cell);
  const small = new Uint8Array(columns * rows * 3);
  let to = 0;
  for (let top = area.top; top < area.bottom; top += cell)
    for (let left = area.left; left < area.right; left += cell, to += 3) {
      const right = Math.min(area.right, left + cell);
      const bottom = Math.min(area.bottom, top + cell);
      small.set(meanOf(data, width, { left, top, right, bottom }), to);
    }
  return { cell, columns, rows, data: small };
}

/** Interpolation steps between two cells, as whole numbers for speed. */
const STEPS = 256;

/** Draws the area at its original size. Each pixel is interpolated from the four nearest cells. */
function enlarge(
  { cell, columns, rows, data }: Small,
  { data: to, width }: Surface,
  { left, top, right, bottom }: Area,
  spanIn: Spans,
): void {
  const across = nearest(right - left, cell, columns);
  const down = nearest(bottom - top, cell, rows);
  const line = new Int32Array(columns * 3);
  for (let y = top; y < bottom; y++) {
    const upper = down.before[y - top]! * columns * 3;
    const lower = down.after[y - top]! * columns * 3;
    const below = down.parts[y - top]!;
    for (let i = 0; i < line.length; i++)
      line[i] = data[upper + i]! * (STEPS - below) + data[lower + i]! * below;
    const { start, end } = spanIn(y);
    for (let x = start - left, at = (y * width + start) * 3; x < end - left; x++, at += 3) {
      const [a, b] = [across.before[x]! * 3, across.after[x]! * 3];
      const share = across.parts[x]!;
      const rest = STEPS - share;
      to[at] = (line[a]! * rest + line[b]! * share + HALF) >> SHIFT;
      to[at + 1] = (line[a + 1]! * rest + line[b + 1]! * share + HALF) >> SHIFT;
      to[at + 2] = (line[a + 2]! * rest + line[b + 2]! * share + HALF) >> SHIFT;
    }
  }
}

/** Shift that divides by STEPS twice. Adding half rounds the result. */
const SHIFT = 16;
const HALF = 1 << (SHIFT - 1);

/** Returns for each of `length` positions the nearest cell centres before and after it, and its distance in STEPS. */
function nearest(length: number, cell: number, cells: number) {
  const [before, after, parts] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  for (let place = 0; place < length; place++) {
    const at = Math.min(Math.max(0, (place + 0.5) / cell - 0.5), cells - 1);
    before[place] = Math.floor(at);
    after[place] = Math.min(cells - 1, Math.floor(at) + 1);
    parts[place] = Math.round((at - Math.floor(at)) * STEPS);
  }
  return { before, after, parts };
}

interface Walk {
  readonly lines: number;
  readonly length: number;
  /** Offset from a pixel to the next in its line, and from a line to the next. */
  readonly step: number;
  readonly stride: number;
  readonly reach: number;
}

/** Replaces each pixel by the mean of the pixels within reach in its line, with a running sum. */
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

/** Returns the part of the surface that the box covers, and the longer side of the whole box, which may extend outside. */
function areaOf({ width, height }: Surface, points: readonly Point[]): { area: Area; longer: number } {
  const box = boundingBox(points);
  const within = (value: number, most: number): number => Math.min(Math.max(0, value), most);
  const area = {
    left: within(Math.floor(box.x), width),
    top: within(Math.floor(box.y), height),
    right: within(Math.ceil(box.x + box.width), width),
    bottom: within(Math.ceil(box.y + box.height), height),
  };
  return { area, longer: Math.max(box.width, box.height) };
}

/** Returns the range of a row's pixels that the box touches, from `start` to `end` (exclusive). `end` is at least `start`. */
type Spans = (y: number) => { readonly start: number; readonly end: number };

/** Returns the spans of a box. It may be slanted, and a mirrored box has its corners in reverse order. */
function spansOf(points: readonly Point[], { left, right }: Area): Spans {
  const next = (index: number): Point => points[(index + 1) % points.length]!;
  const twice = points.reduce((sum, from, index) => sum + from.x * next(index).y - next(index).x * from.y, 0);
  const side = twice < 0 ? -1 : 1;
  const edges = points.map((from, index) => {
    const to = next(index);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    return { from, dx: (side * (to.x - from.x)) / length, dy: (side * (to.y - from.y)) / length };
  });
  return (y) => {
    let [low, high] = [left + 0.5, right - 0.5];
    for (const { from, dx, dy } of edges) {
      // dx * (y + 0.5 - from.y) - dy * (x - from.x) >= -TOUCH, where x is the pixel's centre.
      const most = dx * (y + 0.5 - from.y) + dy * from.x + TOUCH;
      if (Math.abs(dy) > 1e-9) {
        if (dy > 0) high = Math.min(high, most / dy);
        else low = Math.max(low, most / dy);
      } else if (most < 0) high = -Infinity;
    }
    const start = Math.ceil(low - 0.5);
    return { start, end: Math.max(start, Math.floor(high - 0.5) + 1) };
  };
}
