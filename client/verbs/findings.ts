/** The tracks of a detection document. */
import type { DetectionDocument, DocumentDetection, DocumentMedium, DocumentTrack } from '../answers.ts';

/** A track with the places that it is in. */
export interface FoundTrack {
  readonly medium: DocumentMedium;
  readonly action: string;
  readonly algorithm: string;
  readonly type: string;
  readonly track: DocumentTrack;
}

/** All tracks of a document: medium by medium, type by type, as the document has them. */
export function* tracks(document: DetectionDocument): Generator<FoundTrack> {
  for (const medium of document.media)
    for (const [type, entries] of Object.entries(medium.output))
      for (const { source, algorithm, tracks: found = [] } of entries)
        for (const track of found) yield { medium, action: source, algorithm, type, track };
}

/** A detection with its track. */
export type FoundDetection = FoundTrack & { readonly detection: DocumentDetection };

/** Each detection of each track. */
export function* detections(document: DetectionDocument): Generator<FoundDetection> {
  for (const found of tracks(document))
    for (const detection of found.track.detections) yield { ...found, detection };
}
