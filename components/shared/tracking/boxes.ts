/** Plain geometry of upright boxes in pixels. */
import type { Box } from '../../../domain/geometry/geometry.ts';

/** Distance of the centres, divided by the boxes' mean side. This makes near and far objects comparable. */
export function centreDistance(a: Box, b: Box): number {
  const dx = a.x + a.width / 2 - (b.x + b.width / 2);
  const dy = a.y + a.height / 2 - (b.y + b.height / 2);
  const side = (a.width + a.height + b.width + b.height) / 4;
  return side > 0 ? Math.hypot(dx, dy) / side : Infinity;
}

/** Returns the part of a box inside a picture, in whole pixels; undefined if it is empty. */
export function clip(box: Box, width: number, height: number): Box | undefined {
  const left = Math.max(0, Math.round(box.x));
  const top = Math.max(0, Math.round(box.y));
  const right = Math.min(width, Math.round(box.x + box.width));
  const bottom = Math.min(height, Math.round(box.y + box.height));
  if (right <= left || bottom <= top) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
