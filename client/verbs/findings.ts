/** Functions that read the tracks of a detection document. */
import type { DetectionDocument, DocumentDetection, DocumentMedium, DocumentTrack } from '../answers.ts';

/** A track with its place in the document. */
export interface FoundTrack {
  readonly medium: DocumentMedium;
  readonly action: string;
  readonly algorithm: string;
  readonly type: string;
  readonly track: DocumentTrack;
}

/** Yields all tracks of a document in its order: by medium, then by type. */
export function* tracks(document: DetectionDocument): Generator<FoundTrack> {
  for (const medium of document.media)
    for (const [type, entries] of Object.entries(medium.output))
      for (const { source, algorithm, tracks: found = [] } of entries)
        for (const track of found) yield { medium, action: source, algorithm, type, track };
}

/** A detection with its track. */
export type FoundDetection = FoundTrack & { readonly detection: DocumentDetection };

/** Yields each detection of each track. */
export function* detections(document: DetectionDocument): Generator<FoundDetection> {
  for (const found of tracks(document))
    for (const detection of found.track.detections) yield { ...found, detection };
}
