/** Draws directly into tightly packed RGB. It is fast because it touches only pixels that change. */
import type { Point } from '../../../domain/geometry/geometry.ts';
import type { Colour } from './colours.ts';

export interface Surface {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A small picture with transparency: four bytes per pixel, with the opacity last. */
export interface Sprite {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Blends a colour over a pixel. `opacity` is 0 to 1. */
function blend(
  { data, width, height }: Surface,
  x: number,
  y: number,
  colour: Colour,
  opacity: number,
): void {
  if (x < 0 || y < 0 || x >= width || y >= height || opacity <= 0) return;
  const at = (y * width + x) * 3;
  for (let c = 0; c < 3; c++) {
    const below = data[at + c] ?? 0;
    data[at + c] = below + ((colour[c] ?? 0) - below) * opacity + 0.5;
  }
}

/** Fills an upright rectangle, clipped to the picture. Bounds are whole pixels, and the last ones are exclusive. */
function fill(
  { data, width, height }: Surface,
  [left, top, right, bottom]: readonly [number, number, number, number],
  [red, green, blue]: Colour,
): void {
  const from = Math.max(0, left);
  const to = Math.min(width, right);
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    for (let x = from, at = (y * width + from) * 3; x < to; x++, at += 3) {
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
    }
}

/** Draws a closed line through the points, `thickness` pixels wide and centred on them. */
export function outline(surface: Surface, points: readonly Point[], thickness: number, colour: Colour): void {
  for (const [index, from] of points.entries()) {
    const to = points[(index + 1) % points.length] ?? from;
    if (from.x === to.x || from.y === to.y) straight(surface, from, to, thickness, colour);
    else drawSlanting(surface, from, to, thickness, colour);
  }
}

function straight(surface: Surface, a: Point, b: Point, thickness: number, colour: Colour): void {
  const edge = (value: number): number => Math.round(value) - (thickness >> 1);
  const [left, right] = [edge(Math.min(a.x, b.x)), edge(Math.max(a.x, b.x)) + thickness];
  const [top, bottom] = [edge(Math.min(a.y, b.y)), edge(Math.max(a.y, b.y)) + thickness];
  fill(surface, [left, top, right, bottom], colour);
}

/** Steps along the longer direction and blends the few pixels across. */
function drawSlanting(surface: Surface, a: Point, b: Point, thickness: number, colour: Colour): void {
  const steep = Math.abs(b.y - a.y) > Math.abs(b.x - a.x);
  const [from, to] = (steep ? a.y > b.y : a.x > b.x) ? [b, a] : [a, b];
  const along = (point: Point): number => (steep ? point.y : point.x);
  const across = (point: Point): number => (steep ? point.x : point.y);
  const slope = (across(to) - across(from)) / (along(to) - along(from));
  const reach = (thickness / 2) * Math.hypot(1, slope);
  const limit = steep ? surface.height : surface.width;
  const last = Math.min(limit - 1, Math.floor(along(to)));
  for (let step = Math.max(0, Math.floor(along(from))); step <= last; step++) {
    const middle = across(from) + (step + 0.5 - along(from)) * slope - 0.5;
    for (let side = Math.floor(middle - reach); side <= Math.ceil(middle + reach); side++) {
      const opacity = Math.min(1, reach + 0.5 - Math.abs(side - middle));
      blend(surface, steep ? side : step, steep ? step : side, colour, opacity);
    }
  }
}

export function disc(surface: Surface, { x, y }: Point, radius: number, colour: Colour): void {
  for (let v = Math.floor(y - radius - 1); v <= y + radius + 1; v++)
    for (let u = Math.floor(x - radius - 1); u <= x + radius + 1; u++) {
      const distance = Math.hypot(u + 0.5 - x, v + 0.5 - y);
      blend(surface, u, v, colour, Math.min(1, radius + 0.5 - distance));
    }
}

/** Draws the sprite with its top left corner at (x, y), in whole pixels. Inlined for speed, because labels are large. */
export function lay({ data, width, height }: Surface, sprite: Sprite, x: number, y: number): void {
  const { data: ink } = sprite;
  const [first, last] = [Math.max(0, -x), Math.min(sprite.width, width - x)];
  for (let v = Math.max(0, -y); v < Math.min(sprite.height, height - y); v++) {
    let from = (v * sprite.width + first) * 4;
    let to = ((y + v) * width + x + first) * 3;
    for (let u = first; u < last; u++, from += 4, to += 3) {
      const over = ink[from + 3] ?? 0;
      const under = 255 - over;
      data[to] = ((ink[from] ?? 0) * over + (data[to] ?? 0) * under + 127) / 255;
      data[to + 1] = ((ink[from + 1] ?? 0) * over + (data[to + 1] ?? 0) * under + 127) / 255;
      data[to + 2] = ((ink[from + 2] ?? 0) * over + (data[to + 2] ?? 0) * under + 127) / 255;
    }
  }
}
