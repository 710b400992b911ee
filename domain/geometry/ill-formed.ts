/** Drops detections without an area, or completely outside the frame, with a warning. */
import { integerOf } from '../properties/properties.ts';
import type { Detection, Issue, Properties, Track } from '../types.ts';
import { frameListString } from '../frames/frame-list.ts';
import { cornersInFrame, isEmptyBox, orientationOf, overlapsBox, type Box } from './geometry.ts';

/** Types whose detections usually have no box. */
const EXEMPT_TYPES: ReadonlySet<string> = new Set(['SPEECH', 'SOUND', 'TEXT', 'TRANSLATION']);

export function isExemptFromBoxChecks(trackType: string): boolean {
  return EXEMPT_TYPES.has(trackType.toUpperCase());
}

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

export function hasNoArea(detection: Box): boolean {
  return isEmptyBox(detection);
}

/** True if no part of the rotated and mirrored box is inside the frame. */
export function isOutsideFrame(
  detection: Box & Pick<Detection, 'properties'>,
  { width, height }: FrameSize,
): boolean {
  const corners = cornersInFrame(detection, orientationOf(detection.properties));
  return !overlapsBox(corners, { x: 0, y: 0, width, height });
}

export interface IllFormedFrames {
  readonly noArea: readonly number[];
  readonly outside: readonly number[];
}

/** The track with its well-formed detections, limited to their frames. Null if none is left. */
export function dropIllFormed(
  track: Track,
  frame: FrameSize,
): { readonly track: Track | null } & IllFormedFrames {
  const noArea = track.detections.filter(hasNoArea);
  const outside = track.detections.filter((d) => !hasNoArea(d) && isOutsideFrame(d, frame));
  const frames = { noArea: noArea.map((d) => d.frame), outside: outside.map((d) => d.frame) };
  if (noArea.length === 0 && outside.length === 0) return { track, ...frames };
  const dropped: ReadonlySet<Detection> = new Set([...noArea, ...outside]);
  return { track: keepDetections(track, (detection) => !dropped.has(detection)), ...frames };
}

/** The track with only the kept detections. Null if none is kept, and the same track if all are. */
export function keepDetections(track: Track, keeps: (detection: Detection) => boolean): Track | null {
  const detections = track.detections.filter(keeps);
  if (detections.length === track.detections.length) return track;
  const first = detections[0];
  const last = detections.at(-1);
  if (first === undefined || last === undefined) return null;
  const ends = { startFrame: first.frame, stopFrame: last.frame, startTime: first.time, stopTime: last.time };
  return { ...track, ...ends, detections };
}

/** MIN_DETECTION_WIDTH and MIN_DETECTION_HEIGHT, in pixels of the unrotated box. A detection without a box is never too small. */
export function isTooSmall(properties: Properties): (box: Box) => boolean {
  const width = integerOf(properties, 'MIN_DETECTION_WIDTH');
  const height = integerOf(properties, 'MIN_DETECTION_HEIGHT');
  return (box) => !hasNoArea(box) && (box.width < width || box.height < height);
}

/** The warnings for all frames in which detections of one action on one medium were dropped. */
export function illFormedWarnings({ noArea, outside }: IllFormedFrames): readonly Issue[] {
  const dropped = 'Dropped one or more ill-formed detection regions with';
  return [
    warning(`${dropped} width or height equal to 0.`, noArea),
    warning(`${dropped} bounding box completely outside frame.`, outside),
  ].flat();
}

function warning(message: string, frames: readonly number[]): readonly Issue[] {
  const list = frameListString(frames);
  return list === null ? [] : [{ code: 'INVALID_DETECTION', message: `${message} ${list}` }];
}
