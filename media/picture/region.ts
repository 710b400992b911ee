/**
 * The part of a stored picture that a detection covers, cut out as its detector saw it: upright, and mirrored back when the
 * detection is. What of it lies outside the picture is left out, as far as its sides are parallel to those of the picture;
 * the corners that a slanting detection has outside are filled.
 */
import { orientationOf, type Box, type Orientation } from '../../domain/geometry/geometry.ts';
import { rotatedSize, toUpright, turn, type Size } from '../../domain/tracks/turned-picture.ts';
import type { Detection } from '../../domain/types.ts';
import { sampler, type View } from './picture-turning.ts';
import { boxMapper } from './transform.ts';
import type { MediumBox } from './transform.ts';

export interface Region {
  /** Pixels of what `cut` gives. */
  readonly width: number;
  readonly height: number;
  /** `from` is a stored picture of the size that the region was made for, tightly packed RGB; so is the answer, which is new each time. */
  cut(from: Uint8Array): Uint8Array;
  /** A box in the pixels of the cut as a detection of the stored picture, in whole pixels. */
  toMedium(box: Box): MediumBox;
}

/** Null when the whole detection is outside the picture. `fill` is the brightness outside, 0 to 255. */
export function regionOf(
  detection: Box & Pick<Detection, 'properties'>,
  size: Size,
  fill = 0,
): Region | null {
  const orientation = uprightOf(detection);
  const view = viewOf(detection, orientation, size);
  const { width, height } = view.region;
  if (!(width > 0 && height > 0) || isOutside(view)) return null;
  const sample = sampler(view, fill);
  const toMedium = boxMapper(view);
  return {
    width,
    height,
    cut: (from) => {
      const data = new Uint8Array(width * height * 3);
      sample(from, data);
      return data;
    },
    toMedium: (box) => ({ ...toMedium(box), rotation: orientation.rotation }),
  };
}

/** How a detection lies: degrees counter-clockwise from 0 to below 360. */
export function uprightOf({ properties }: Pick<Detection, 'properties'>): Orientation {
  const { rotation, flip } = orientationOf(properties);
  const degrees = rotation % 360;
  return { rotation: degrees < 0 ? degrees + 360 : degrees, flip };
}

/** How the picture must be turned and mirrored for the detection to stand upright, and where it stands then. */
function viewOf(box: Box, { rotation: counterClockwise, flip }: Orientation, source: Size): View {
  const rotation = flip ? (360 - counterClockwise) % 360 : counterClockwise;
  const upright = rotatedSize(source, rotation);
  const { x, y } = toUpright({ source, upright, rotation, flip }, box);
  const columns = clipStretch(x, Math.round(box.width), upright.width);
  const rows = clipStretch(y, Math.round(box.height), upright.height);
  const region = { x: columns.from, y: rows.from, width: columns.length, height: rows.length };
  return { rotation, flip, source, upright, region };
}

/** Whole pixels are taken off both ends of a stretch until it lies between 0 and `limit` (at right angles exactly). */
function clipStretch(from: number, length: number, limit: number): { from: number; length: number } {
  const before = Math.max(0, Math.floor(-from + 1e-6));
  const after = Math.max(0, Math.floor(from + length - limit + 1e-6));
  return { from: from + before, length: length - before - after };
}

/** Whether a slanting region and the picture have nothing in common though it lies in the box around the turned picture. */
function isOutside({ source, region, rotation, flip, upright }: View): boolean {
  const { sin, cos, left, top } = turn(source, rotation);
  const corners = [0, 1, 2, 3].map((corner) => {
    const u = region.x + (corner % 2) * region.width;
    const x = (flip ? upright.width - u : u) + left;
    const y = region.y + (corner >> 1) * region.height + top;
    return { x: x * cos + y * sin, y: y * cos - x * sin };
  });
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  return (
    Math.max(...xs) <= 0 ||
    Math.max(...ys) <= 0 ||
    Math.min(...xs) >= source.width ||
    Math.min(...ys) >= source.height
  );
}
