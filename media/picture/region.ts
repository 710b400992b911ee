/**
 * Cuts a detection out of a stored picture as the detector saw it: upright, and mirrored back if the detection is mirrored. If the sides
 * are parallel to the picture's sides, the part outside the picture is left out. Outside corners of a slanted detection are filled.
 */
import { orientationOf, type Box, type Orientation } from '../../domain/geometry/geometry.ts';
import { rotatedSize, toUpright, turn, type Size } from '../../domain/tracks/turned-picture.ts';
import type { Detection } from '../../domain/types.ts';
import { sampler, type View } from './picture-turning.ts';
import { boxMapper } from './transform.ts';
import type { MediumBox } from './transform.ts';

export interface Region {
  /** Size in pixels of the pictures that `cut` returns. */
  readonly width: number;
  readonly height: number;
  /** Returns the cut as new, tightly packed RGB. `from` is a stored picture of the size that the region was made for. */
  cut(from: Uint8Array): Uint8Array;
  /** Converts a box in the cut's pixels to a detection of the stored picture, in whole pixels. */
  toMedium(box: Box): MediumBox;
}

/** Returns null if the whole detection is outside the picture. `fill` is the brightness outside, 0 to 255. */
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

/** Orientation of a detection, with the rotation in degrees counter-clockwise from 0 to below 360. */
export function uprightOf({ properties }: Pick<Detection, 'properties'>): Orientation {
  const { rotation, flip } = orientationOf(properties);
  const degrees = rotation % 360;
  return { rotation: degrees < 0 ? degrees + 360 : degrees, flip };
}

/** Returns the view that shows the detection upright: rotation, flip and region. */
function viewOf(box: Box, { rotation: counterClockwise, flip }: Orientation, source: Size): View {
  const rotation = flip ? (360 - counterClockwise) % 360 : counterClockwise;
  const upright = rotatedSize(source, rotation);
  const { x, y } = toUpright({ source, upright, rotation, flip }, box);
  const columns = clipStretch(x, Math.round(box.width), upright.width);
  const rows = clipStretch(y, Math.round(box.height), upright.height);
  const region = { x: columns.from, y: rows.from, width: columns.length, height: rows.length };
  return { rotation, flip, source, upright, region };
}

/** Removes whole pixels from both ends of a range until it lies between 0 and `limit` (exactly at right angles). */
function clipStretch(from: number, length: number, limit: number): { from: number; length: number } {
  const before = Math.max(0, Math.floor(-from + 1e-6));
  const after = Math.max(0, Math.floor(from + length - limit + 1e-6));
  return { from: from + before, length: length - before - after };
}

/** True if a slanted region does not overlap the picture, although it is inside the bounding box of the turned picture. */
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
