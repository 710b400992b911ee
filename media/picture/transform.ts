/**
 * Transforms stored pictures to the detector's view, and its boxes back: first the rotation, then the flip, then the search region. The
 * plan for a medium is made once. Without any of the three, frames pass unchanged.
 *
 * The position of a detection is its top left corner in the detector's view, in pixels of the stored picture. ROTATION and HORIZONTAL_FLIP
 * define how the box extends from there: turned counter-clockwise around that corner, then mirrored at the vertical line through it.
 */
import type { Frame } from '../../protocol/media-sources.ts';
import type { Orientation } from '../../domain/geometry/geometry.ts';
import { rotatedSize, turn, type Size } from '../../domain/tracks/turned-picture.ts';
import type { Properties } from '../../domain/types.ts';
import { MediumError } from '../medium-error.ts';
import { fillOf, sampler, type View } from './picture-turning.ts';

export interface MediumBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** ROTATION of the detection in degrees; 0 if it is upright. */
  readonly rotation: number;
  /** The HORIZONTAL_FLIP of the detection. */
  readonly flip: boolean;
}

export interface FrameTransform {
  /** Size of the pictures that `apply` returns. */
  readonly width: number;
  readonly height: number;
  /** Returns the detector's view, valid until the next call. Returns the same object if nothing changes. */
  apply(frame: Frame): Frame;
  /** Converts a detector's box to whole pixels of the stored picture. */
  toMedium(box: Omit<MediumBox, 'rotation' | 'flip'>): MediumBox;
}

/** Returns the transformation. `metadata` are the medium's, and `size` is the size of its stored pictures. Throws INVALID_PROPERTY. */
export function frameTransform(properties: Properties, metadata: Properties, size: Size): FrameTransform {
  const orientation = wantedOrientation(properties, metadata);
  const upright = rotatedSize(size, orientation.rotation);
  const view: View = { ...orientation, source: size, upright, region: searchRegion(properties, upright) };
  const { width, height } = view.region;
  return {
    width,
    height,
    apply: applier(view, fillOf(properties['ROTATION_FILL_COLOR'])),
    toMedium: boxMapper(view),
  };
}

/** Returns the orientation. An explicit ROTATION or HORIZONTAL_FLIP overrides AUTO_ROTATE and AUTO_FLIP. Throws INVALID_PROPERTY. */
export function wantedOrientation(properties: Properties, metadata: Properties): Orientation {
  const automatic = isTrue(properties['AUTO_ROTATE']) ? metadata['ROTATION'] : undefined;
  const wanted = degrees(readValue(properties['ROTATION']) ?? readValue(automatic) ?? '0');
  const threshold = Number(properties['ROTATION_THRESHOLD'] ?? 0) || 0;
  const rotation = Math.min(wanted, 360 - wanted) < threshold ? 0 : wanted;
  const mirrored = isTrue(properties['AUTO_FLIP']) ? metadata['HORIZONTAL_FLIP'] : undefined;
  return { rotation, flip: isTrue(readValue(properties['HORIZONTAL_FLIP']) ?? mirrored) };
}

function readValue(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}

function degrees(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw invalid('ROTATION', text, 'is not a number of degrees');
  return ((value % 360) + 360) % 360;
}

function searchRegion(properties: Properties, { width, height }: Size): View['region'] {
  const feedForward = readValue(properties['FEED_FORWARD_TYPE'])?.toUpperCase() ?? 'NONE';
  if (!isTrue(properties['SEARCH_REGION_ENABLE_DETECTION']) || feedForward !== 'NONE')
    return { x: 0, y: 0, width, height };
  const edge = (name: string, length: number, otherwise: number): number =>
    coordinate(`SEARCH_REGION_${name}_DETECTION`, properties, length) ?? otherwise;
  const x = edge('TOP_LEFT_X', width, 0);
  const y = edge('TOP_LEFT_Y', height, 0);
  const right = edge('BOTTOM_RIGHT_X', width, width);
  const bottom = edge('BOTTOM_RIGHT_Y', height, height);
  if (right <= x || bottom <= y)
    throw new MediumError(
      'INVALID_PROPERTY',
      `The SEARCH_REGION properties leave nothing of the ${width}x${height} picture: left ${x}, top ${y}, right ${right}, bottom ${bottom}.`,
    );
  return { x, y, width: right - x, height: bottom - y };
}

/** Reads pixels, or percent of the length. Returns undefined (the edge) if zero, negative or absent. */
function coordinate(name: string, properties: Properties, length: number): number | undefined {
  const text = readValue(properties[name])?.trim();
  if (text === undefined) return undefined;
  const percent = text.endsWith('%');
  const value = Number(percent ? text.slice(0, -1) : text);
  if (!Number.isFinite(value)) throw invalid(name, text, 'is neither a number of pixels nor a percentage');
  if (value <= 0) return undefined;
  return Math.min(length, Math.floor(percent ? (Math.min(value, 100) * length) / 100 : value));
}

function invalid(name: string, text: string, why: string): MediumError {
  return new MediumError('INVALID_PROPERTY', `The ${name} property has the value "${text}", which ${why}.`);
}

function applier(view: View, fill: number): FrameTransform['apply'] {
  const { source, region, rotation, flip } = view;
  const whole = region.width === source.width && region.height === source.height;
  if (rotation === 0 && !flip && whole) return (frame) => frame;
  const sample = sampler(view, fill);
  const data = new Uint8Array(region.width * region.height * 3);
  return (frame) => {
    sample(frame.data, data);
    const { index, time, warmUp } = frame;
    return { index, time, width: region.width, height: region.height, data, warmUp };
  };
}

/** Returns a function that converts boxes in the view's pixels to detections of the stored picture. */
export function boxMapper(view: View): FrameTransform['toMedium'] {
  const { region, flip } = view;
  const rotation = flip ? (360 - view.rotation) % 360 : view.rotation;
  return (box) => {
    const left = Math.round(box.x);
    const top = Math.round(box.y);
    const width = wholeLength(box.x, box.width);
    const height = wholeLength(box.y, box.height);
    const corner = toStored(view, left + region.x, top + region.y);
    return { x: corner.x, y: corner.y, width, height, rotation, flip };
  };
}

/** Rounds a length to at least 1 if it is above 0. A length of 0 stays 0, so that result checks report it. */
const wholeLength = (from: number, length: number): number =>
  length > 0 ? Math.max(1, Math.round(from + length) - Math.round(from)) : 0;

/** Converts a point of the upright, flipped picture to whole pixels of the stored picture. */
function toStored({ source, upright, rotation, flip }: View, u: number, v: number): { x: number; y: number } {
  const { sin, cos, left, top } = turn(source, rotation);
  const x = (flip ? upright.width - u : u) + left;
  const y = v + top;
  return { x: Math.round(x * cos + y * sin) + 0, y: Math.round(y * cos - x * sin) + 0 };
}
