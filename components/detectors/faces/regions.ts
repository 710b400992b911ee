/** Where in a picture the network looks: at all of it and, to find small faces, at overlapping squares of it, too. */
import type { Box } from '../../../domain/geometry/geometry.ts';

/** How much of its side a square at least shares with its neighbour: a face on a border lies whole in one of them. */
const SHARED = 0.25;
/** A picture no longer than this gains nothing from a closer look. */
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

/** Evenly spread first pixels of as few squares as cover the length with the wanted share. */
function starts(length: number, side: number): number[] {
  if (length <= side) return [0];
  const gaps = Math.ceil((length - side) / (side * (1 - SHARED)));
  return Array.from({ length: gaps + 1 }, (_, i) => Math.round((i * (length - side)) / gaps));
}
