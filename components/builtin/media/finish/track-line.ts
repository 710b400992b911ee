/** A track in the document (specification 2.2). */
import { exemplarOf } from '../../../../domain/tracks/quality.ts';
import { HIDDEN } from '../../../../results/document/track-lines.ts';
import { textOf } from '../../../../domain/properties/properties.ts';
import { trackId } from '../../../../domain/tracks/track-id.ts';
import type { Detection } from '../../../../domain/types.ts';
import type { FinishWork } from '../../../../protocol/track-work.ts';
import type { RawTrack } from './raw-tracks.ts';

export interface TrackText {
  readonly id: string;
  /** JSON of the track from `startOffsetFrame` on, after its id and index, followed by the data that the service stores with it. */
  readonly rest: string;
  readonly exemplar: Detection;
  readonly detections: number;
}

export function trackWriter(work: FinishWork): (track: RawTrack) => TrackText {
  const policy = textOf(work.properties, 'EXEMPLAR_POLICY');
  const quality = textOf(work.properties, 'QUALITY_SELECTION_PROPERTY');
  return (track) => {
    const exemplar = exemplarOf(track, policy, quality);
    const fields = {
      startOffsetFrame: track.startFrame,
      stopOffsetFrame: track.stopFrame,
      startOffsetTime: track.startTime,
      stopOffsetTime: track.stopTime,
      type: track.type,
      source: work.action,
      confidence: track.confidence,
      trackProperties: track.properties,
      exemplar: documentDetection(exemplar),
      detections: track.detections.map(documentDetection),
    };
    const id = trackId(work.sha256, exemplar, track.type);
    const hidden = track.selected === undefined ? '' : `${HIDDEN}${JSON.stringify(track.selected)}`;
    const rest = `${JSON.stringify(fields).slice(1)}${hidden}`;
    return { id, rest, exemplar, detections: track.detections.length };
  };
}

export function joinTrackText(id: string, index: number, rest: string): string {
  return `{"id":"${id}","index":${index},${rest}`;
}

function documentDetection(detection: Detection): object {
  return {
    offsetFrame: detection.frame,
    offsetTime: detection.time,
    x: detection.x,
    y: detection.y,
    width: detection.width,
    height: detection.height,
    confidence: detection.confidence,
    detectionProperties: detection.properties,
    artifactExtractionStatus: 'NOT_ATTEMPTED',
    artifactPath: null,
  };
}
