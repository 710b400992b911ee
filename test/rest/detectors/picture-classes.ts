import { tracksOf, type DetectionDocument } from '../../support/processes/service.ts';

/** What was found on each medium of a document, each class once. */
export const classesOf = (document: DetectionDocument) =>
  document.media.map((medium) => [
    ...new Set(tracksOf(medium, 'CLASS').map((track) => track.trackProperties['CLASSIFICATION'])),
  ]);
