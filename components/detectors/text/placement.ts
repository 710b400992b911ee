/** Position of a text line in a detection. Pure. */
import type { Quarters } from './lines/line-image.ts';
import { boxAround } from './lines/rectangles.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Rectangle } from './lines/rectangles.ts';

/**
 * x and y are the corner above the first letter. Width is along the text. `rotation` is the counter-clockwise rotation of the box around
 * that corner in degrees, 0 to below 360; 0 for upright text.
 */
export interface Placement extends Box {
  readonly rotation: number;
}

/** Minimum slant of a text in degrees. Other text counts as straight ... */
const LEAST_SLANT = 1;
/** ... as does short text whose end rises by at most this share of its thickness. */
const LEAST_RISE = 0.2;

/** Returns the placement. Straight text gets the box around it in whole pixels, inside the picture. */
export function placementOf(
  line: Rectangle,
  quarters: Quarters,
  picture: { readonly width: number; readonly height: number },
): Placement {
  const degrees = (line.angle * 180) / Math.PI;
  const [length, thickness] = quarters % 2 === 0 ? [line.width, line.height] : [line.height, line.width];
  const rise = Math.abs(Math.sin(line.angle)) * length;
  if (Math.abs(degrees) < LEAST_SLANT || rise <= LEAST_RISE * thickness)
    return straight(boxAround(line, picture.width, picture.height), quarters);
  const angle = line.angle + (quarters * Math.PI) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const x = line.centre.x - (length * cos - thickness * sin) / 2;
  const y = line.centre.y - (length * sin + thickness * cos) / 2;
  const rotation = (720 - degrees - 90 * quarters) % 360;
  const whole = {
    x: Math.round(x),
    y: Math.round(y),
    width: Math.ceil(length),
    height: Math.ceil(thickness),
  };
  return { ...whole, rotation: Math.round(rotation * 10) / 10 };
}

function straight({ x, y, width, height }: Box, quarters: Quarters): Placement {
  switch (quarters) {
    case 0:
      return { x, y, width, height, rotation: 0 };
    case 1:
      return { x: x + width, y, width: height, height: width, rotation: 270 };
    case 2:
      return { x: x + width, y: y + height, width, height, rotation: 180 };
    case 3:
      return { x, y: y + height, width: height, height: width, rotation: 90 };
  }
}

/** Returns the text's direction as a clockwise angle in degrees, 0 to below 360. */
export function directionOf({ angle }: Rectangle, quarters: Quarters): number {
  return ((angle * 180) / Math.PI + 90 * quarters + 360) % 360;
}
