/** Pixel operations of `transform.ts`. Input and output are tightly packed RGB. */
import { turn, type Size, type TurnedPicture } from '../../domain/tracks/turned-picture.ts';

/** A region of the stored picture after rotation and flip. */
export interface View extends TurnedPicture {
  readonly region: Size & { readonly x: number; readonly y: number };
}

/** Writes the view of one stored picture into `to`. */
export type Sampler = (from: Uint8Array, to: Uint8Array) => void;

/** Brightness of corners that a rotation adds: BLACK or WHITE. */
export function fillOf(colour: string | undefined): number {
  return colour?.trim().toUpperCase() === 'WHITE' ? 255 : 0;
}

export function sampler(view: View, fill: number): Sampler {
  return view.rotation % 90 === 0 ? rightAngled(view) : bilinear(view, fill);
}

/** Position in the stored picture of a region pixel's centre, in pixels. */
function storedCentre(view: View, u: number, v: number): { x: number; y: number } {
  const { source, upright, region, rotation, flip } = view;
  const { sin, cos, left, top } = turn(source, rotation);
  const across = region.x + u + 0.5;
  const x = (flip ? upright.width - across : across) + left;
  const y = region.y + v + 0.5 + top;
  return { x: x * cos + y * sin - 0.5, y: y * cos - x * sin - 0.5 };
}

/** Moves whole pixels for multiples of 90 degrees. A step to the right or down is a fixed step in the stored picture. */
function rightAngled(view: View): Sampler {
  const { width, height } = view.region;
  const offset = (u: number, v: number): number => {
    const { x, y } = storedCentre(view, u, v);
    return (Math.round(y) * view.source.width + Math.round(x)) * 3;
  };
  const origin = offset(0, 0);
  const right = offset(1, 0) - origin;
  const down = offset(0, 1) - origin;
  if (right === 3) return cropper(origin, down, width * 3, height);
  return (from, to) => {
    let out = 0;
    for (let v = 0; v < height; v++) {
      let at = origin + v * down;
      for (let u = 0; u < width; u++, at += right) {
        to[out++] = from[at] ?? 0;
        to[out++] = from[at + 1] ?? 0;
        to[out++] = from[at + 2] ?? 0;
      }
    }
  };
}

function cropper(origin: number, stride: number, row: number, height: number): Sampler {
  return (from, to) => {
    for (let v = 0; v < height; v++) {
      const at = origin + v * stride;
      to.set(from.subarray(at, at + row), v * row);
    }
  };
}

/** Rotates by any other angle. Each pixel is interpolated from its four neighbours, and pixels outside are filled. Inlined for speed. */
function bilinear(view: View, fill: number): Sampler {
  const { width: columns, height: rows } = view.region;
  const { width, height } = view.source;
  const origin = storedCentre(view, 0, 0);
  const right = difference(storedCentre(view, 1, 0), origin);
  const down = difference(storedCentre(view, 0, 1), origin);
  return (from, to) => {
    let out = 0;
    for (let v = 0; v < rows; v++)
      for (let u = 0; u < columns; u++, out += 3) {
        const x = origin.x + u * right.x + v * down.x;
        const y = origin.y + u * right.y + v * down.y;
        if (x <= -0.5 || y <= -0.5 || x >= width - 0.5 || y >= height - 0.5) {
          to[out] = to[out + 1] = to[out + 2] = fill;
          continue;
        }
        const x0 = x > 0 ? Math.floor(x) : 0;
        const y0 = y > 0 ? Math.floor(y) : 0;
        const fx = x > x0 ? x - x0 : 0;
        const fy = y > y0 ? y - y0 : 0;
        const a = (y0 * width + x0) * 3;
        const b = x0 + 1 < width ? a + 3 : a;
        const below = y0 + 1 < height ? width * 3 : 0;
        // Weights of the neighbours: above left and right, below left and right.
        const ar = fx * (1 - fy);
        const al = 1 - fy - ar;
        const br = fx * fy;
        const bl = fy - br;
        const c = a + below;
        const d = b + below;
        to[out] = from[a]! * al + from[b]! * ar + from[c]! * bl + from[d]! * br + 0.5;
        to[out + 1] = from[a + 1]! * al + from[b + 1]! * ar + from[c + 1]! * bl + from[d + 1]! * br + 0.5;
        to[out + 2] = from[a + 2]! * al + from[b + 2]! * ar + from[c + 2]! * bl + from[d + 2]! * br + 0.5;
      }
  };
}

function difference(a: { x: number; y: number }, b: { x: number; y: number }): { x: number; y: number } {
  return { x: a.x - b.x, y: a.y - b.y };
}
