/** Examples of results: the detection document, its other formats, and its parts. */
import { ZONE_RUN } from './streams.ts';

const DETECTION = {
  offsetFrame: 48,
  offsetTime: 1_920,
  x: 640,
  y: 210,
  width: 96,
  height: 120,
  confidence: 0.93,
  detectionProperties: { ROTATION: '90' },
  artifactExtractionStatus: 'COMPLETED',
  artifactPath: 'file:///data/artifacts/12/31/0/0/2/frame-48.png',
  artifactHref: 'artifacts/31/0/0/2/frame-48.png',
  uprightBox: { x: 390, y: 640, width: 120, height: 96 },
};

const TRACK = {
  id: '3b1f4c9bd8a2f4e7c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f',
  index: 2,
  startOffsetFrame: 40,
  stopOffsetFrame: 74,
  startOffsetTime: 1_600,
  stopOffsetTime: 2_960,
  type: 'FACE',
  source: 'FACE DETECTION ACTION',
  confidence: 0.93,
  trackProperties: { CLASSIFICATION: 'person' },
  exemplar: DETECTION,
  detections: [DETECTION],
};

const ISSUES = [
  {
    mediaId: 31,
    details: [{ source: 'FACE', code: 'COULD_NOT_READ_MEDIA', message: 'Frame 120 cannot be decoded.' }],
  },
];

const METADATA = { MIME_TYPE: 'video/mp4', FPS: '25', DURATION: '10000', FRAME_WIDTH: '1280' };

const MEDIUM = {
  mediaId: 31,
  parentMediaId: -1,
  archiveSourceMediaPath: 'file:///media/old/street.mp4',
  path: 'file:///media/street.mp4',
  href: 'media/31',
  sha256: 'c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f3b1f4c9bd8a2f4e7',
  mimeType: 'video/mp4',
  mediaType: 'VIDEO',
  length: 250,
  frameRanges: [{ start: 0, stop: 249 }],
  timeRanges: [{ start: 0, stop: 10_000 }],
  mediaMetadata: METADATA,
  mediaProperties: { FRAME_INTERVAL: '5' },
  status: 'COMPLETE',
  detectionProcessingErrors: {
    'FACE DETECTION ACTION': [
      {
        startOffsetFrame: 100,
        stopOffsetFrame: 149,
        startOffsetTime: 4_000,
        stopOffsetTime: 5_960,
        code: 'COULD_NOT_READ_MEDIA',
        message: 'Frame 120 cannot be decoded.',
      },
    ],
  },
  markupResult: {
    id: 3,
    path: 'file:///data/markup/12/31.mp4',
    status: 'COMPLETE_WITH_WARNING',
    message: 'The sound was left out.',
    href: 'media/31/markup',
  },
  mediaSelectorsOutputUri: 'file:///data/selectors/12/31.json',
  mediaSelectorsOutputHref: 'media/31/selectors-output',
  output: {
    FACE: [
      {
        source: 'FACE DETECTION ACTION',
        algorithm: 'FACE',
        annotators: ['FACE QUALITY ACTION'],
        tracks: [TRACK],
      },
    ],
  },
  zoneRun: ZONE_RUN,
};

const ACTION = 'FACE DETECTION ACTION';

const DOCUMENT = {
  jobId: 'host-12',
  archiveSourceJobId: 'host-9',
  objectId: '5f0c7d0e-3c1b-4e8e-9d6c-2a6f1b7c8d90',
  pipeline: {
    name: 'FACE DETECTION PIPELINE',
    description: 'Finds faces.',
    tasks: [
      {
        actionType: 'DETECTION',
        name: 'FACE DETECTION TASK',
        description: 'Finds faces.',
        actions: [
          {
            algorithm: 'FACE',
            name: ACTION,
            description: 'Finds faces.',
            properties: { MERGE_TRACKS: 'TRUE' },
          },
        ],
      },
    ],
  },
  priority: 4,
  siteId: 'troupe',
  externalJobId: 'case 7',
  timeStart: '2026-03-01T09:30:00.000Z',
  timeStop: '2026-03-01T09:31:00.000Z',
  timing: { processingTime: 42_000, actions: [{ name: ACTION, processingTime: 42_000 }] },
  status: 'COMPLETE',
  algorithmProperties: { FACE: { MIN_FACE_SIZE: '48' } },
  jobProperties: { FRAME_INTERVAL: '5' },
  environmentVariableProperties: { CALLBACK_ADD_TOKEN: 'TRUE' },
  media: [MEDIUM],
  errors: ISSUES,
  warnings: ISSUES,
  componentVersions: [{ action: ACTION, algorithm: 'FACE', versions: ['0.1.0'] }],
  effectiveProperties: [
    { action: ACTION, algorithm: 'FACE', mediaType: 'VIDEO', properties: { FRAME_INTERVAL: '5' } },
  ],
};

const COCO = {
  info: { description: 'What Troupe has found', version: '1.0', contributor: 'Troupe' },
  licenses: [],
  images: [
    {
      id: 1,
      width: 1_280,
      height: 720,
      file_name: 'street-000048.jpg',
      coco_url: 'file:///media/street.mp4',
      media_id: 31,
      frame: 48,
    },
  ],
  categories: [{ id: 1, name: 'FACE', supercategory: 'FACE' }],
  annotations: [
    {
      id: 1,
      image_id: 1,
      category_id: 1,
      bbox: [640, 210, 96, 120],
      area: 11_520,
      iscrowd: 0,
      score: 0.93,
      attributes: { track: 2 },
    },
  ],
};

const PLACE = { x: 50, y: 29.2, width: 7.5, height: 16.7, rotation: 0 };

const LABEL_STUDIO = [
  {
    data: { image: 'file:///media/race.jpg', mediaId: 30 },
    predictions: [
      {
        model_version: 'host-12',
        result: [
          {
            id: 'r1',
            score: 0.93,
            type: 'rectanglelabels',
            from_name: 'label',
            to_name: 'image',
            original_width: 1_280,
            original_height: 720,
            image_rotation: 0,
            value: { ...PLACE, rectanglelabels: ['FACE'] },
          },
        ],
      },
    ],
  },
  {
    data: { video: 'file:///media/street.mp4', mediaId: 31 },
    predictions: [
      {
        model_version: 'host-12',
        result: [
          {
            id: 'r2',
            score: 0.93,
            type: 'videorectangle',
            from_name: 'box',
            to_name: 'video',
            value: {
              framesCount: 250,
              duration: 10,
              labels: ['FACE'],
              sequence: [{ frame: 49, time: 1.92, enabled: true, ...PLACE }],
            },
          },
        ],
      },
    ],
  },
];

const PROGRESS = {
  percent: 60,
  actions: [
    {
      task: 'FACE DETECTION TASK',
      action: ACTION,
      state: 'RUNNING',
      percent: 60,
      unit: 'FRAMES',
      done: [{ start: 0, stop: 149 }],
    },
  ],
};

const ISSUE = {
  kind: 'errors',
  source: 'FACE',
  code: 'COULD_NOT_READ_MEDIA',
  message: 'Frame 120 cannot be decoded.',
};

const VIEWED = {
  n: 0,
  mediaId: 31,
  parentMediaId: -1,
  uri: 'file:///media/street.mp4',
  mimeType: 'video/mp4',
  mediaType: 'VIDEO',
  length: 250,
  status: 'IN_PROGRESS',
  metadata: METADATA,
  tracks: 10,
  detections: 320,
  findings: [{ type: 'CLASS', class: 'car', tracks: 7 }],
  people: 3,
  cues: 4,
  zoneEvents: 2,
  issues: [ISSUE],
  partial: PROGRESS,
};

/** The part of a document that the server sends to an archive. */
export const DETECTIONS_OF_STREET = { jobId: 'host-12', mediaUri: MEDIUM.path, tracks: [TRACK] };

export const DOCUMENTS = {
  DetectionOutputObject: [DOCUMENT],
  CocoDocument: [COCO],
  LabelStudioTasks: [LABEL_STUDIO],
  MediaOfJob: [{ media: [VIEWED], total: 1, issues: [ISSUE] }],
  Lanes: [
    [
      {
        lane: 0,
        type: 'FACE',
        action: ACTION,
        algorithm: 'FACE',
        task: 'FACE DETECTION TASK',
        tracks: 10,
        detections: 320,
        binMs: 100,
        bins: [0, 3, 5, 2],
        partial: PROGRESS.actions[0],
      },
    ],
  ],
  TrackPage: [
    {
      tracks: [
        {
          n: 2,
          lane: 0,
          id: TRACK.id,
          startMs: 1_600,
          stopMs: 2_960,
          startFrame: 40,
          stopFrame: 74,
          confidence: 0.93,
          label: 'person',
          properties: { CLASSIFICATION: 'person' },
          exemplarFrame: 48,
          exemplarMs: 1_920,
          artifact: 'artifacts/31/0/0/2/frame-48.png',
        },
      ],
      total: 10,
      partial: PROGRESS,
    },
  ],
  BoxPage: [
    {
      boxes: [
        {
          frame: 48,
          track: 2,
          lane: 0,
          label: 'person',
          x: 640,
          y: 210,
          width: 96,
          height: 120,
          confidence: 0.93,
          corners: '640,210 736,210 736,330 640,330',
        },
      ],
      toFrame: 249,
      partial: PROGRESS,
    },
  ],
  TrackCounts: [
    {
      intervalMs: 1_000,
      intervals: 4,
      series: [{ type: 'CLASS', class: 'person', total: 3, begins: [1, 0, 2, 0], present: [1, 1, 3, 2] }],
      omitted: 1,
      partial: PROGRESS,
    },
  ],
  HeatMap: [{ width: 1_280, height: 720, columns: 2, rows: 2, cells: [0, 3, 12, 1], partial: PROGRESS }],
};
