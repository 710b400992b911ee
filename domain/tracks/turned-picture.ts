/** Pictures of a medium as a viewer shows them, rotated and flipped. Maps points and boxes of the stored picture to them. */
import {
  boundingBox,
  cornersInFrame,
  isEmptyBox,
  orientationOf,
  type Box,
  type Orientation,
  type Point,
} from '../geometry/geometry.ts';
import { numberOf } from '../properties/properties.ts';
import type { Properties } from '../types.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** `rotation`: degrees clockwise, from 0 to below 360. `flip`: the rotated picture is mirrored left to right. */
export interface TurnedPicture extends Orientation {
  readonly source: Size;
  /** Size of the whole picture after the rotation. */
  readonly upright: Size;
}

/** Clockwise rotation of the plane, y downwards, and the position of the top left corner of the rotated picture. */
export interface Turn {
  readonly sin: number;
  readonly cos: number;
  readonly left: number;
  readonly top: number;
}

/** Exact at multiples of 90 degrees, where sine and cosine have rounding errors. */
export function turn({ width, height }: Size, rotation: number): Turn {
  const quarter = rotation / 90;
  const exact = Number.isInteger(quarter);
  const sin = exact ? ([0, 1, 0, -1][quarter] ?? 0) : Math.sin((rotation * Math.PI) / 180);
  const cos = exact ? ([1, 0, -1, 0][quarter] ?? 1) : Math.cos((rotation * Math.PI) / 180);
  const left = Math.min(0, width * cos) + Math.min(0, -height * sin);
  const top = Math.min(0, width * sin) + Math.min(0, height * cos);
  return { sin, cos, left, top };
}

/** The position of a point of the stored picture in the rotated and flipped one. */
export function toUpright(
  { source, upright, rotation, flip }: TurnedPicture,
  { x, y }: { readonly x: number; readonly y: number },
): { x: number; y: number } {
  const { sin, cos, left, top } = turn(source, rotation);
  const across = x * cos - y * sin - left;
  return { x: flip ? upright.width - across : across, y: x * sin + y * cos - top };
}

/** The smallest picture that contains the rotated one. */
export function rotatedSize(size: Size, rotation: number): Size {
  const { sin, cos } = turn(size, rotation);
  const width = size.width * Math.abs(cos) + size.height * Math.abs(sin);
  const height = size.width * Math.abs(sin) + size.height * Math.abs(cos);
  return { width: Math.ceil(width - 1e-6), height: Math.ceil(height - 1e-6) };
}

/** The picture of a medium as it is shown. Undefined if the medium has none. `metadata` are those of the medium. */
export function pictureOf(metadata: Properties): TurnedPicture | undefined {
  const source = {
    width: numberOf(metadata, 'FRAME_WIDTH', 0),
    height: numberOf(metadata, 'FRAME_HEIGHT', 0),
  };
  if (isEmptyBox({ x: 0, y: 0, ...source })) return undefined;
  const { rotation: degrees, flip } = orientationOf(metadata);
  const rotation = ((degrees % 360) + 360) % 360;
  return { source, upright: rotatedSize(source, rotation), rotation, flip };
}

/** Tolerance for rounding errors at right angles. */
const REST = 1e-6;

/**
 * The smallest box, in whole pixels of the shown picture, that contains the detection. Null if it has no box, or if the stored box already
 * is that box.
 */
export function uprightBoxOf(
  detection: Box & { readonly detectionProperties: Properties },
  isTurned: boolean,
  toShownPoint: (stored: Point) => Point,
): Box | null {
  const { rotation, flip } = orientationOf(detection.detectionProperties);
  if (isEmptyBox(detection) || (!isTurned && rotation % 360 === 0 && !flip)) return null;
  const around = boundingBox(cornersInFrame(detection, { rotation, flip }).map(toShownPoint));
  const [x, y] = [Math.floor(around.x + REST), Math.floor(around.y + REST)];
  const width = Math.ceil(around.x + around.width - REST) - x;
  return { x, y, width, height: Math.ceil(around.y + around.height - REST) - y };
}
