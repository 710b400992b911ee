/** What a detector found as it goes to the server: boxes in pixels of the stored medium, times in milliseconds. */
import type { FrameTransform, MediumBox } from '../../media/picture/transform.ts';
import type { Properties, ReportedDetection, ReportedTrack } from '../../domain/types.ts';
import type { FoundDetection, FoundPart, FoundSound, FoundTrack } from '../sdk/detector.ts';

/** The properties that say how a box lies. */
export const ORIENTATION: readonly string[] = ['ROTATION', 'HORIZONTAL_FLIP'];

/** `viewOf` tells how the picture lay before the detector in which a detection was found. */
export function pictureTrack(
  track: FoundTrack,
  viewOf: (frame: number) => Pick<FrameTransform, 'toMedium'>,
): ReportedTrack {
  const first = track.detections[0]!;
  const last = track.detections.at(-1)!;
  return {
    startFrame: track.startFrame ?? first.frame,
    stopFrame: track.stopFrame ?? last.frame,
    ...(track.type === undefined ? {} : { type: track.type }),
    confidence: track.confidence,
    properties: track.properties ?? {},
    detections: track.detections.map((detection) => placeDetection(detection, viewOf(detection.frame))),
  };
}

/** What is found in a single picture: there the track tells how its one box lies, as the detection does. */
export function imageTrack(track: FoundTrack, view: Pick<FrameTransform, 'toMedium'>): ReportedTrack {
  const reported = pictureTrack(track, () => view);
  const lies = Object.entries(reported.detections[0]?.properties ?? {}).filter(([name]) =>
    ORIENTATION.includes(name),
  );
  return { ...reported, properties: { ...reported.properties, ...Object.fromEntries(lies) } };
}

/** A detection with its box in pixels of the stored medium. */
export const placeDetection = (
  detection: FoundDetection,
  view: Pick<FrameTransform, 'toMedium'>,
): ReportedDetection => inMedium(detection, view.toMedium(detection));

/** Where a box lies turned or mirrored in the stored medium, the detection says so. */
function inMedium(
  { frame, confidence, properties: { ROTATION, ...properties } = {} }: FoundDetection,
  { x, y, width, height, rotation, flip }: MediumBox,
): ReportedDetection {
  // Turned in its frame, then with its frame; both counter-clockwise, a mirrored frame too.
  const turned = (rotation + (Number(ROTATION) || 0)) % 360;
  // Rounded at last: what is added and taken away before leaves 45.80000000000001.
  const degrees = (Math.round(((turned + 360) % 360) * 100) / 100) % 360;
  const orientation: Properties = {
    ...(degrees === 0 ? {} : { ROTATION: String(degrees) }),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
  };
  return { frame, x, y, width, height, confidence, properties: { ...properties, ...orientation } };
}

/** `frameAt`: which frame is on show at a time; 0 where there are none. */
export function soundTrack(
  { startTime, stopTime, confidence, properties = {} }: FoundSound,
  frameAt: (ms: number) => number,
): ReportedTrack {
  const [startFrame, stopFrame] = [frameAt(startTime), frameAt(stopTime)];
  const detection = placeless(startFrame, startTime, confidence, properties);
  return { startFrame, stopFrame, startTime, stopTime, confidence, properties, detections: [detection] };
}

export function partTrack({ type, confidence, properties }: FoundPart): ReportedTrack {
  return {
    startFrame: 0,
    stopFrame: 0,
    startTime: 0,
    stopTime: 0,
    ...(type === undefined ? {} : { type }),
    confidence,
    properties,
    detections: [placeless(0, 0, confidence, properties)],
  };
}

function placeless(
  frame: number,
  time: number,
  confidence: number,
  properties: Properties,
): ReportedDetection {
  return { frame, time, x: 0, y: 0, width: 0, height: 0, confidence, properties };
}
