/** Returns fed tracks with more properties. */
import type { Properties, ReportedDetection, ReportedTrack } from '../../domain/types.ts';
import type { FoundProperties } from '../sdk/detector.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import { ORIENTATION } from './report.ts';

/**
 * A track of a line of the input, with more properties on itself and on all its detections. It keeps its type when it stays the same
 * track; otherwise it gets the algorithm's own.
 */
export function withProperties(
  track: FedTrack | ReportedTrack,
  line: number,
  { confidence, properties }: FoundProperties,
  keepsType: boolean,
): ReportedTrack {
  const { startFrame, stopFrame, startTime, stopTime, type } = track;
  const more = (one: ReportedDetection): ReportedDetection => ({
    ...one,
    confidence: confidence ?? one.confidence,
    properties: { ...one.properties, ...properties },
  });
  return {
    fed: line,
    startFrame,
    stopFrame,
    ...(startTime === undefined || stopTime === undefined ? {} : { startTime, stopTime }),
    ...(keepsType && type !== undefined ? { type } : {}),
    confidence: confidence ?? track.confidence,
    properties: { ...track.properties, ...properties },
    detections: track.detections.map(more),
  };
}

/**
 * All tracks of a course, in order: each with the properties of the best that was found in it. Of pictures, a detection takes
 * those that were found in its frame; sound and documents are one as a whole.
 */
export async function* annotateTracks(
  { first, tracks }: { readonly first: number; readonly tracks: readonly FedTrack[] },
  found: AsyncIterable<ReportedTrack & { readonly fed: number }>,
): AsyncGenerator<ReportedTrack> {
  const best = new Map<number, ReportedTrack>();
  for await (const track of found) {
    const before = best.get(track.fed);
    if (before === undefined || track.confidence > before.confidence) best.set(track.fed, track);
  }
  for (const [index, track] of tracks.entries())
    yield annotatedBy(track, first + index, best.get(first + index));
}

function annotatedBy(track: FedTrack, line: number, found: ReportedTrack | undefined): ReportedTrack {
  const itself = withProperties(track, line, { properties: {} }, true);
  if (found === undefined) return itself;
  const byFrame = new Map(found.detections.map((detection) => [detection.frame, ownProperties(detection)]));
  const more = ownProperties(found);
  const whole = found.detections.every(({ width, height }) => width === 0 && height === 0);
  return {
    ...itself,
    properties: { ...track.properties, ...more },
    detections: itself.detections.map((detection) => ({
      ...detection,
      properties: {
        ...detection.properties,
        ...(whole ? more : byFrame.get(detection.frame)),
      },
    })),
  };
}

/** How a found box lies is not said of the fed one. */
function ownProperties({ properties }: Pick<ReportedDetection, 'properties'>): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !ORIENTATION.includes(name)));
}
