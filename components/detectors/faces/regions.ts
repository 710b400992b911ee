/** Selects the regions of a picture for the network: the whole picture and, for small faces, overlapping squares. */
import type { Box } from '../../../domain/geometry/geometry.ts';

/** Minimum overlap of neighbouring squares as a share of their side. A face on a border is completely inside one of them. */
const SHARED = 0.25;
/** Maximum side of a picture in which squares do not help. */
const SMALL = 320;

export function regionsOf(width: number, height: number, closely: boolean): Box[] {
  const whole = { x: 0, y: 0, width, height };
  const longer = Math.max(width, height);
  if (!closely || longer <= SMALL) return [whole];
  const side = Math.ceil(longer / 2);
  const squares: Box[] = [];
  for (const y of starts(height, side))
    for (const x of starts(width, side))
      squares.push({ x, y, width: Math.min(side, width), height: Math.min(side, height) });
  return [whole, ...squares];
}

/** Returns the evenly spread first pixels of the fewest squares that cover the length with the minimum overlap. */
function starts(length: number, side: number): number[] {
  if (length <= side) return [0];
  const gaps = Math.ceil((length - side) / (side * (1 - SHARED)));
  return Array.from({ length: gaps + 1 }, (_, i) => Math.round((i * (length - side)) / gaps));
}
