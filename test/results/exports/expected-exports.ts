/** Expected content of exports, computed from the parsed document. */
import type {
  DetectionDocument,
  DocumentDetection,
  DocumentMedium,
  DocumentTrack,
} from '../../support/processes/service.ts';

export interface Found {
  readonly medium: DocumentMedium;
  readonly key: string;
  readonly action: string;
  readonly algorithm: string;
  readonly track: DocumentTrack & { readonly index: number; readonly source: string };
  readonly detection: DocumentDetection;
}

/** All detections in document order. */
export const allFound = ({ media }: DetectionDocument): readonly Found[] =>
  media.flatMap((of) =>
    Object.entries(of.output).flatMap(([key, entries]) =>
      entries.flatMap(({ source, algorithm, tracks = [] }) =>
        tracks.flatMap((each) => {
          const track = each as Found['track'];
          const action = track.source === '' ? source : track.source;
          return track.detections.map((one) => ({
            ...{ medium: of, key, action, algorithm, track },
            detection: one,
          }));
        }),
      ),
    ),
  );

/** The first task of the pipeline that contains the action. */
export function taskOf({ pipeline }: DetectionDocument, action: string): string | null {
  const { tasks } = pipeline as {
    tasks: readonly { readonly name: string; readonly actions: readonly { readonly name: string }[] }[];
  };
  return tasks.find(({ actions }) => actions.some(({ name }) => name === action))?.name ?? null;
}

const isExemplar = ({ track, detection }: Found) =>
  (['offsetFrame', 'x', 'y', 'width', 'height', 'confidence'] as const).every(
    (field) => detection[field] === track.exemplar[field],
  );

/** The expected line for a detection. */
export const lineOf = (document: DetectionDocument) => (found: Found) => {
  const { medium, track, detection, key, action, algorithm } = found;
  return {
    jobId: document.jobId,
    mediaId: medium.mediaId,
    parentMediaId: medium.parentMediaId,
    medium: medium.path,
    mediaType: medium.mediaType,
    task: taskOf(document, action),
    action,
    algorithm,
    type: key,
    trackId: track.id,
    trackIndex: track.index,
    trackConfidence: track.confidence,
    trackStartMs: track.startOffsetTime,
    trackStopMs: track.stopOffsetTime,
    trackProperties: track.trackProperties,
    frame: detection.offsetFrame,
    offsetMs: detection.offsetTime,
    x: detection.x,
    y: detection.y,
    width: detection.width,
    height: detection.height,
    // These media are not rotated, so stored boxes are upright.
    uprightX: detection.x,
    uprightY: detection.y,
    uprightWidth: detection.width,
    uprightHeight: detection.height,
    confidence: detection.confidence,
    isExemplar: isExemplar(found),
    artifact: detection.artifactPath,
    properties: detection.detectionProperties,
  };
};
