/** Adds properties to fed tracks. */
import type { Properties, ReportedDetection, ReportedTrack } from '../../domain/types.ts';
import type { FoundProperties } from '../sdk/detector.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import { ORIENTATION } from './report.ts';

/**
 * Returns the track of an input line, with more properties on itself and all its detections. It keeps its type if it stays the same track.
 * Otherwise, it gets the algorithm's type.
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
 * Yields all tracks of a course in order, each with the properties of the best result found in it. In pictures, each detection gets the
 * properties that were found in its frame. Sound and documents get the properties as a whole.
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

/** Returns the properties without orientation, because the orientation of a found box does not apply to the fed one. */
function ownProperties({ properties }: Pick<ReportedDetection, 'properties'>): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !ORIENTATION.includes(name)));
}
