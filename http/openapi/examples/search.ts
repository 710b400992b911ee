/** Examples of the search and the library. */
import { LIBRARY_MEDIUM } from '../../endpoints/search/library.ts';

const HIT = {
  jobId: 'host-12',
  externalId: 'case 7',
  jobEndDate: '2026-03-01T09:31:00.000Z',
  mediaIndex: 0,
  mediaId: 33,
  mediaUri: 'file:///media/report.pdf',
  mediaType: 'UNKNOWN',
  trackId: '3b1f4c9bd8a2f4e7c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f',
  task: 'TEXT DETECTION TASK',
  action: 'TEXT DETECTION ACTION',
  algorithm: 'TEXT',
  type: 'TEXT',
  class: 'sign',
  startOffsetFrame: 0,
  stopOffsetFrame: 0,
  startOffsetTime: 0,
  stopOffsetTime: 0,
  page: { kind: 'PAGE', number: '3' },
  confidence: 0.93,
  colour: 'red',
  vectorModel: 'clip-image@3b1f4c9bd8a2',
  person: { id: '5c0e7a1b9d2f4836', name: 'Anna' },
  frame: 0,
  box: { x: 640, y: 210, width: 220, height: 48 },
  width: 1_240,
  height: 1_754,
  snippet: { text: 'Road closed', marks: [{ start: 0, end: 4 }] },
  score: 0.5,
};

export const SEARCH = {
  SearchPage: [{ hits: [HIT], next: '812', complete: true }],
  SimilarRequest: [
    {
      jobId: 'host-12',
      mediaId: 33,
      trackId: HIT.trackId,
      filter: {
        text: 'road',
        anything: 'red sign',
        class: 'sign',
        type: 'TEXT',
        from: '2026-03-01T00:00:00.000Z',
        to: '2026-04-01T00:00:00.000Z',
        job: 'host-11',
        colour: 'red',
        minConfidence: 0.5,
        medium: 'street',
        person: 'Anna',
        distinct: true,
      },
      minSimilarity: 0.8,
      limit: 20,
    },
    { vector: [0.1, 0.9], model: 'clip-image@3b1f4c9bd8a2' },
    { text: 'a red car' },
    {
      mediaUri: 'file:///media/report.mp4',
      box: { x: 640, y: 210, width: 220, height: 48 },
      frame: 12,
      model: 'clip-image@3b1f4c9bd8a2',
    },
  ],
  SimilarPage: [
    {
      model: 'clip-image@3b1f4c9bd8a2',
      like: HIT,
      hits: [{ ...HIT, similarity: 0.93 }],
      searched: 1,
      complete: true,
    },
  ],
  DuplicateGroups: [
    {
      groups: [
        {
          hits: [
            { ...HIT, distance: 0 },
            { ...HIT, jobId: 'host-11', mediaId: 30, distance: 3 },
          ],
        },
      ],
      isPart: false,
      complete: true,
    },
  ],
  SearchCounts: [
    {
      tracks: 40,
      isPart: false,
      findings: [{ type: 'CLASS', class: 'car', tracks: 25 }],
      colours: [{ colour: 'red', tracks: 10 }],
      media: [{ mediaUri: 'file:///media/street.mp4', tracks: 40 }],
      confidences: [{ minConfidence: 0.5, tracks: 38 }],
      since: [{ from: '2026-03-01T00:00:00.000Z', tracks: 12 }],
      complete: true,
    },
  ],
  LibraryCounts: [
    {
      total: 120,
      mediaTypes: { VIDEO: 80, IMAGE: 40 },
      findings: [{ type: 'CLASS', class: 'person', media: 55 }],
      labels: [{ label: 'case-7', media: 12 }],
      complete: true,
    },
  ],
  LibraryPage: [
    {
      media: [LIBRARY_MEDIUM],
      next: '1772357460_12_0',
      complete: true,
    },
  ],
  SavedSearch: [
    {
      id: 's-8f2c',
      name: 'Red cars',
      query: { class: 'car', colour: 'red' },
      created: '2026-03-01T09:30:00.000Z',
    },
  ],
};
