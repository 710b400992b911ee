/** Finds connected regions of a probability map, and the probability that a rectangle in it is text. */
import type { Point, Rectangle } from './rectangles.ts';

export interface ProbabilityMap {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Yields the outline of each region of pixels above a threshold that touch, including diagonally. An outline has the first and last pixel
 * of every row.
 */
export function* outlines(map: ProbabilityMap, threshold: number): Iterable<readonly Point[]> {
  const { data, width, height } = map;
  const seen = new Uint8Array(width * height);
  for (let at = 0; at < seen.length; at++) {
    if (seen[at] === 1 || data[at]! <= threshold) continue;
    yield rowEnds(flood(map, threshold, seen, at), width);
  }
}

/** Returns the mean probability in a rectangle, which may extend over the edge. */
export function meanWithin(map: ProbabilityMap, rectangle: Rectangle): number {
  const { centre } = rectangle;
  const cos = Math.cos(rectangle.angle);
  const sin = Math.sin(rectangle.angle);
  const reach = Math.hypot(rectangle.width, rectangle.height) / 2;
  const bottom = Math.min(map.height - 1, Math.ceil(centre.y + reach));
  const right = Math.min(map.width - 1, Math.ceil(centre.x + reach));
  let [sum, count] = [0, 0];
  for (let y = Math.max(0, Math.floor(centre.y - reach)); y <= bottom; y++) {
    for (let x = Math.max(0, Math.floor(centre.x - reach)); x <= right; x++) {
      const along = (x - centre.x) * cos + (y - centre.y) * sin;
      const across = (y - centre.y) * cos - (x - centre.x) * sin;
      if (Math.abs(along) * 2 > rectangle.width || Math.abs(across) * 2 > rectangle.height) continue;
      sum += map.data[y * map.width + x]!;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** Returns all pixels connected with one, and marks them as seen. */
function flood(map: ProbabilityMap, threshold: number, seen: Uint8Array, start: number): readonly number[] {
  const { data, width, height } = map;
  const pixels = [start];
  seen[start] = 1;
  for (let next = 0; next < pixels.length; next++) {
    const x = pixels[next]! % width;
    const y = (pixels[next]! - x) / width;
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
        const at = row * width + column;
        if (seen[at] === 1 || data[at]! <= threshold) continue;
        seen[at] = 1;
        pixels.push(at);
      }
    }
  }
  return pixels;
}

function rowEnds(pixels: readonly number[], width: number): readonly Point[] {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const pixel of pixels) {
    const x = pixel % width;
    const y = (pixel - x) / width;
    first.set(y, Math.min(first.get(y) ?? x, x));
    last.set(y, Math.max(last.get(y) ?? x, x));
  }
  return [...first, ...last].map(([y, x]) => ({ x, y }));
}
