/** Faces of a document with their vectors, from which people are grouped. */
import { isEmptyBox } from '../../../domain/geometry/geometry.ts';
import { pictureOf } from '../../../domain/tracks/turned-picture.ts';
import {
  documentTracks,
  type DocumentMedium,
  type DocumentTrack,
} from '../../../results/document/document-tracks.ts';
import type { DocumentFace } from '../../../store/search.ts';
import { shownBox } from '../medium-summary.ts';
import { FEATURE, FEATURE_MODEL, floatsOf, MOST_FEATURE_CHARACTERS, readVector } from './vector.ts';

const FACE = 'FACE';
/** Maximum number of faces read from one document. */
const MOST_FACES = 20_000;

export async function facesOf(document: string): Promise<readonly DocumentFace[]> {
  const reading = { properties: [FEATURE, FEATURE_MODEL], cutAt: MOST_FEATURE_CHARACTERS };
  const faces: DocumentFace[] = [];
  let open: DocumentTrack[] = [];
  for await (const { tracks, media } of documentTracks(document, reading)) {
    open.push(...tracks.filter(isFace));
    for (const medium of media) {
      faces.push(...open.filter((track) => track.medium.index === medium.index).flatMap(faceIn(medium)));
      open = open.filter((track) => track.medium.index !== medium.index);
    }
    if (faces.length + open.length >= MOST_FACES) break;
  }
  return faces.slice(0, MOST_FACES);
}

const isFace = ({ type, exemplar, properties }: DocumentTrack): boolean =>
  type === FACE && !isEmptyBox(exemplar) && properties.some(([name]) => name === FEATURE);

/** Returns the face of a track. Returns an empty list if its vector cannot be compared. */
const faceIn =
  ({ metadata }: DocumentMedium) =>
  (track: DocumentTrack): readonly DocumentFace[] => {
    const { exemplar, medium, properties, algorithm } = track;
    const valueOf = (wanted: string) => properties.find(([name]) => name === wanted)?.[1];
    const feature = valueOf(FEATURE) ?? '';
    if ('wrong' in readVector(feature)) return [];
    const picture = pictureOf(metadata);
    const { startFrame, stopFrame, startMs, stopMs, confidence } = track;
    return [
      {
        ...{ mediaId: medium.mediaId, mediaUri: medium.uri, mediaType: medium.mediaType, trackId: track.id },
        ...{ startFrame, stopFrame, startMs, stopMs, confidence },
        model: valueOf(FEATURE_MODEL) ?? algorithm,
        vector: Float32Array.from(floatsOf(Buffer.from(feature, 'base64'))),
        ...{ frame: exemplar.frame, box: shownBox(exemplar, picture) },
        side: Math.min(exemplar.width, exemplar.height),
        ...{ width: picture?.upright.width ?? null, height: picture?.upright.height ?? null },
      },
    ];
  };
