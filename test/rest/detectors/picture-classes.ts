import { tracksOf, type DetectionDocument } from '../../support/processes/service.ts';

/** The classes found on each medium of a document, without duplicates. */
export const classesOf = (document: DetectionDocument) =>
  document.media.map((medium) => [
    ...new Set(tracksOf(medium, 'CLASS').map((track) => track.trackProperties['CLASSIFICATION'])),
  ]);
