/** DETECTION_PADDING_X and _Y: detections grow or shrink on each side, along their own orientation and inside the frame. */
import type { Detection, Issue, Properties, Track } from '../types.ts';
import { frameListString } from '../frames/frame-list.ts';
import {
  applyMap,
  boundingBox,
  cornersOf,
  intersection,
  inverseOf,
  mirrorMap,
  orientationOf,
  rotationMap,
  type Box,
} from './geometry.ts';
import type { FrameSize } from './ill-formed.ts';
import { textOf } from '../properties/properties.ts';
import { parseInteger, parseNumber } from '../values.ts';

/** Pixels, or percent of the side of the box. */
export interface PaddingAmount {
  readonly amount: number;
  readonly percent: boolean;
}

export interface Padding {
  readonly x: PaddingAmount;
  readonly y: PaddingAmount;
}

const SHRUNK = 'SHRUNK_TO_NOTHING';

/** The requested padding. Null if there is none. Values that job creation refuses are ignored. */
export function paddingOf(properties: Properties): Padding | null {
  const x = parseAmount(textOf(properties, 'DETECTION_PADDING_X'));
  const y = parseAmount(textOf(properties, 'DETECTION_PADDING_Y'));
  return x.amount === 0 && y.amount === 0 ? null : { x, y };
}

function parseAmount(text: string): PaddingAmount {
  const trimmed = text.trim();
  const percent = trimmed.endsWith('%');
  const amount = percent ? parseNumber(trimmed.slice(0, -1)) : parseInteger(trimmed);
  return { amount: amount !== undefined && Number.isFinite(amount) ? amount : 0, percent };
}

/** Pixels to add on each side. A box never gets a negative size. */
function pixels({ amount, percent }: PaddingAmount, length: number): number {
  return Math.max(percent ? (length * amount) / 100 : amount, -length / 2);
}

/** The padded detection. One that shrank to nothing keeps a pixel and gets the property SHRUNK_TO_NOTHING. */
export function padDetection<D extends Box & Pick<Detection, 'properties'>>(
  detection: D,
  padding: Padding,
  frame: FrameSize,
): D {
  const { rotation, flip } = orientationOf(detection.properties);
  const upright = flip ? mirrorMap(rotationMap(360 - rotation)) : rotationMap(rotation);
  const corner = applyMap(upright, detection);
  const dx = pixels(padding.x, detection.width);
  const dy = pixels(padding.y, detection.height);
  const grown = {
    x: corner.x - dx,
    y: corner.y - dy,
    width: detection.width + 2 * dx,
    height: detection.height + 2 * dy,
  };
  const frameCorners = cornersOf({ x: 0, y: 0, width: frame.width, height: frame.height });
  const clipped = intersection(grown, boundingBox(frameCorners.map((point) => applyMap(upright, point))));
  return roundBox(detection, { ...clipped, ...applyMap(inverseOf(upright), clipped) });
}

/** Whole pixels: the corner rounded half up (never to -0), the size rounded up and at least 1. */
function roundBox<D extends Box & Pick<Detection, 'properties'>>(detection: D, box: Box): D {
  const width = Math.ceil(box.width);
  const height = Math.ceil(box.height);
  const shrunk = width <= 0 || height <= 0;
  return {
    ...detection,
    x: Math.round(box.x) + 0,
    y: Math.round(box.y) + 0,
    width: Math.max(1, width),
    height: Math.max(1, height),
    ...(shrunk ? { properties: { ...detection.properties, [SHRUNK]: 'TRUE' } } : {}),
  };
}

/** The padded track and the frames in which a detection shrank to nothing. */
export function padTrack(
  track: Track,
  padding: Padding,
  frame: FrameSize,
): { readonly track: Track; readonly shrunk: readonly number[] } {
  const detections = track.detections.map((detection) => padDetection(detection, padding, frame));
  const shrunk = detections.filter((d) => d.properties[SHRUNK] === 'TRUE').map((d) => d.frame);
  return { track: { ...track, detections }, shrunk };
}

/** The warning for all frames of a medium in which a detection shrank to nothing. */
export function paddingWarnings(shrunk: readonly number[]): readonly Issue[] {
  const list = frameListString(shrunk);
  if (list === null) return [];
  const message = `Shrunk one or more detection regions to nothing. 1-pixel detection regions used instead. ${list}`;
  return [{ code: 'PADDING', message }];
}
