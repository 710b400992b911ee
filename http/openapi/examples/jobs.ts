/** Examples of jobs: requests, states and lists. */
import { DETECTIONS_OF_STREET } from './documents.ts';

const DONE = { responseCode: 0, message: null };
const WARNED = {
  responseCode: 2,
  message: 'jobProperties.MIN_FACES: no action of the pipeline has this property.',
};

const PROBLEM = {
  message: 'There is no pipeline with the name FACE PIPELINE.',
  code: 'pipeline-not-found',
  help: '/docs/reference/rest-errors#pipeline-not-found',
};

const CREATED = {
  jobId: 'host-12',
  coreResponse: WARNED,
  archiveCheckStatus: 'NO_ARCHIVE_URL_IN_JOB',
  outputObjectUri: 'file:///data/output-objects/9/detection.json',
};

const ATTEMPTS = {
  attempts: 2,
  lastError: 'https://receiver.example/done answered with status 503.',
  nextAttempt: '2026-03-01T09:32:00.000Z',
};

const WAITING = {
  kind: 'QUEUE',
  reason: 'Its sub-jobs wait for FACE: 3 sub-jobs are before them.',
  queue: 'TROUPE.DETECTION_FACE_REQUEST',
  position: 4,
  service: 'FaceDetection',
};

const REMAINING = { seconds: 95, atLeast: false };

const RUN = {
  run: 2,
  what: 'FAILED_SUB_JOBS',
  jobStatus: 'COMPLETE',
  startDate: '2026-03-01T10:00:00.000Z',
  endDate: '2026-03-01T10:00:40.000Z',
  mediaFailed: 0,
  jobProperties: { FRAME_INTERVAL: '2' },
};

const JOB = {
  jobId: 'host-12',
  jobPriority: 4,
  jobProgress: 100,
  jobStatus: 'COMPLETE',
  terminal: true,
  startDate: '2026-03-01T09:30:00.000Z',
  endDate: '2026-03-01T09:31:00.000Z',
  mediaUris: ['file:///media/street.mp4'],
  outputObjectPath: '/data/output-objects/12/detection.json',
  pipelineName: 'FACE DETECTION PIPELINE',
  archiveStatus: 'NOT REQUESTED',
  callbackStatus: 'COMPLETE',
  externalId: 'case 7',
  owner: { user: 'ada', group: 'editors' },
  labels: ['set:night'],
  mediaSucceeded: 1,
  mediaHrefs: ['media/31'],
  runs: [RUN],
  callbackAttempts: ATTEMPTS,
  archiveAttempts: ATTEMPTS,
  waitingFor: WAITING,
  remaining: REMAINING,
};

const REQUEST = {
  media: [
    {
      mediaUri: 'file:///media/street.mp4',
      metadata: { MIME_TYPE: 'video/mp4' },
      properties: { FRAME_INTERVAL: '5' },
      frameRanges: [{ start: 0, stop: 249 }],
      timeRanges: [{ start: 0, stop: 10_000 }],
      mediaSelectorsOutputAction: 'TRANSLATION ACTION',
      mediaSelectors: [
        {
          type: 'JSON_PATH',
          expression: '$.messages[*].text',
          resultDetectionProperty: 'TRANSLATION',
          selectionProperties: { SOURCE_LANGUAGE: 'es' },
        },
      ],
    },
  ],
  pipelineName: 'FACE DETECTION PIPELINE',
  pipelineDefinition: {
    pipeline: ['FACES'],
    tasks: [{ name: 'FACES', actions: ['SURE FACES'] }],
    actions: [
      {
        name: 'SURE FACES',
        algorithm: 'FACE',
        properties: [{ name: 'QUALITY_SELECTION_THRESHOLD', value: '0.9' }],
      },
    ],
  },
  buildOutput: true,
  externalId: 'case 7',
  labels: ['set:night'],
  jobProperties: { FRAME_INTERVAL: '5' },
  algorithmProperties: { FACE: { MIN_FACE_SIZE: '48' } },
  priority: 4,
  callbackURL: 'https://receiver.example/done',
  callbackMethod: 'POST',
  zones: [{ name: 'yard', points: [[0.1, 0.4], [0.9, 0.4], [0.9, 1], [0.1, 1]] }], // oxfmt-ignore
  lines: [{ name: 'gate', points: [[0.5, 0.2], [0.5, 0.9]] }], // oxfmt-ignore
  rules: [{ name: 'loiter', zone: 'yard', longerThan: 2 }],
  anchor: 'CENTER',
};

const PLAN = {
  coreResponse: WARNED,
  priority: 4,
  pipeline: {
    name: 'FACE DETECTION PIPELINE',
    tasks: [
      {
        name: 'FACE DETECTION TASK',
        actionType: 'DETECTION',
        actions: [
          {
            name: 'FACE DETECTION ACTION',
            algorithm: 'FACE',
            properties: { FRAME_INTERVAL: '5' },
            queue: 'TROUPE.DETECTION_FACE_REQUEST',
            served: false,
            reason: 'The service FaceDetection is stopped.',
          },
        ],
      },
    ],
  },
  media: [
    {
      mediaUri: 'file:///media/street.mp4',
      mediaType: 'VIDEO',
      problem: 'There is no file /media/street.mp4.',
      frameRanges: [{ start: 0, stop: 249 }],
      timeRanges: [{ start: 0, stop: 10_000 }],
    },
  ],
};

const STATISTICS = {
  elapsedTimeMs: 3,
  aggregatePipelineStatsMap: {
    'FACE DETECTION PIPELINE': {
      count: 12,
      maxTime: 61_000,
      minTime: 4_200,
      totalTime: 240_000,
      states: { COMPLETE: 11, ERROR: 1 },
      validCount: 11,
    },
  },
  jobTypes: 1,
  totalJobs: 12,
};

const FILTER = {
  status: ['ERROR'],
  pipelineName: 'FACE DETECTION PIPELINE',
  externalId: 'case 7',
  label: ['set:night'],
  medium: 'street',
  failure: '9f2c4b7d01e8a356',
  startedFrom: '2026-03-01T00:00:00Z',
  startedTo: '2026-03-02T00:00:00Z',
  endedFrom: '2026-03-01T00:00:00Z',
  endedTo: '2026-03-02T00:00:00Z',
  terminal: true,
};

const ISSUES = {
  shown: [
    {
      mediaId: 31,
      mediaUri: 'file:///media/street.mp4',
      source: 'FACE',
      code: 'COULD_NOT_READ_MEDIA',
      message: 'Frame 120 cannot be decoded.',
    },
  ],
  count: 1,
};

const REPOSTED = {
  success: [12],
  failures: [{ jobId: 13, error: 'The archive answered with status 503.' }],
};

const OPERATION = {
  operationId: 'op-4',
  action: 'label',
  status: 'COMPLETE',
  terminal: true,
  dryRun: false,
  startedBy: 'ada',
  startDate: '2026-03-01T09:30:00.000Z',
  endDate: '2026-03-01T09:30:02.000Z',
  matched: 120,
  done: 118,
  refused: 2,
  progress: 100,
  refusals: [{ reason: 'NOT_ENDED', message: 'The job has not ended.', count: 2, examples: ['host-7'] }],
  message: 'It waits for the operation op-3.',
  filter: FILTER,
  priority: 7,
  what: 'FAILED_SUB_JOBS',
  add: ['checked'],
  remove: ['set:night'],
};

export const JOBS = {
  CoreResponse: [WARNED],
  CoreResponseProblem: [{ ...WARNED, ...PROBLEM, responseCode: 1 }],
  ResponseMessage: [{ message: 'New component registered.' }],
  Problem: [PROBLEM],
  Owner: [JOB.owner],
  JobStatus: ['COMPLETE'],
  DeliveryStatus: ['COMPLETE'],
  DeliveryState: ['DELIVERED'],
  JobCreationRequest: [REQUEST],
  JobCreationResponse: [CREATED],
  JobCreationProblem: [{ ...CREATED, ...PROBLEM }],
  DryRunResponse: [PLAN],
  SingleJobInfo: [JOB],
  JobPage: [{ jobs: [{ ...JOB, mediaCount: 1 }], next: '11' }],
  LiveIssues: [{ errors: ISSUES, warnings: ISSUES }],
  JobChange: [{ priority: 7, labels: ['set:night'], externalId: 'case 8' }],
  JobRetryRequest: [{ what: 'FAILED_SUB_JOBS', jobProperties: { FRAME_INTERVAL: '2' } }],
  JobRetryResponse: [{ coreResponse: DONE, jobId: 'host-12', run: 2 }],
  JobFilter: [FILTER],
  OperationRequest: [
    {
      action: 'label',
      filter: FILTER,
      ids: ['host-7', 9],
      dryRun: true,
      priority: 7,
      what: 'FAILED_SUB_JOBS',
      jobProperties: { FRAME_INTERVAL: '2' },
      add: ['checked'],
      remove: ['set:night'],
    },
  ],
  OperationList: [{ operations: [OPERATION], next: 'op-3' }],
  DeliveryPage: [
    {
      deliveries: [
        {
          id: 'msg_host-12_1',
          jobId: 'host-12',
          state: 'PENDING',
          method: 'POST',
          url: 'https://receiver.example/done',
          jobStatus: 'COMPLETE',
          createdAt: '2026-03-01T09:31:00.000Z',
          attempts: [{ at: '2026-03-01T09:31:01.000Z', status: 503, error: 'The receiver answered 503.' }],
          nextAttempt: '2026-03-01T09:32:00.000Z',
        },
      ],
      next: '1772357460000-12',
    },
  ],
  AllJobsStatisticsModel: [STATISTICS],
  ArchiveRepostResponse: [REPOSTED],
  ArchiveRepostProblem: [{ ...REPOSTED, ...PROBLEM }],
  JobCallback: [
    {
      jobId: 'host-12',
      externalId: 'case 7',
      outputObjectUri: 'file:///data/output-objects/12/detection.json',
      jobStatus: 'COMPLETE',
    },
  ],
  ArchivePost: [
    {
      assertionId: '5f0c7d0e-3c1b-4e8e-9d6c-2a6f1b7c8d90',
      informationType: 'Troupe Tracks',
      securityTag: 'UNCLASSIFIED',
      system: 'Troupe',
      dataObject: DETECTIONS_OF_STREET,
    },
  ],
};
