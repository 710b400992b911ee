/** Converts results of a detector to the form for the server: boxes in pixels of the stored medium, times in milliseconds. */
import type { FrameTransform, MediumBox } from '../../media/picture/transform.ts';
import type { Properties, ReportedDetection, ReportedTrack } from '../../domain/types.ts';
import type { FoundDetection, FoundPart, FoundSound, FoundTrack } from '../sdk/detector.ts';

/** Properties of a box's orientation. */
export const ORIENTATION: readonly string[] = ['ROTATION', 'HORIZONTAL_FLIP'];

/** Converts a track. `viewOf` returns the view of the frame in which a detection was found. */
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

/** Converts a track of a single picture. The track also gets the orientation of its one box. */
export function imageTrack(track: FoundTrack, view: Pick<FrameTransform, 'toMedium'>): ReportedTrack {
  const reported = pictureTrack(track, () => view);
  const lies = Object.entries(reported.detections[0]?.properties ?? {}).filter(([name]) =>
    ORIENTATION.includes(name),
  );
  return { ...reported, properties: { ...reported.properties, ...Object.fromEntries(lies) } };
}

/** Returns a detection with its box in pixels of the stored medium. */
export const placeDetection = (
  detection: FoundDetection,
  view: Pick<FrameTransform, 'toMedium'>,
): ReportedDetection => inMedium(detection, view.toMedium(detection));

/** Adds the orientation to the detection if its box is turned or mirrored in the stored medium. */
function inMedium(
  { frame, confidence, properties: { ROTATION, ...properties } = {} }: FoundDetection,
  { x, y, width, height, rotation, flip }: MediumBox,
): ReportedDetection {
  // Adds the rotation in the frame and that of the frame. Both are counter-clockwise, also in a mirrored frame.
  const turned = (rotation + (Number(ROTATION) || 0)) % 360;
  // Rounded last, because the arithmetic gives values such as 45.80000000000001.
  const degrees = (Math.round(((turned + 360) % 360) * 100) / 100) % 360;
  const orientation: Properties = {
    ...(degrees === 0 ? {} : { ROTATION: String(degrees) }),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
  };
  return { frame, x, y, width, height, confidence, properties: { ...properties, ...orientation } };
}

/** Converts a result in sound. `frameAt` returns the displayed frame at a time; 0 without frames. */
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
