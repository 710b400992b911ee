/** Streaming jobs and the reports about them. */
const DONE = { responseCode: 0, message: null };
const DIRECTORY = '/data/streams/14';

const PROBLEM = {
  message: 'There is no streaming job 14.',
  code: 'job-not-found',
  help: '/docs/reference/rest-errors#job-not-found',
};

const DETECTION = {
  offsetFrame: 148,
  timestamp: '2026-03-01T10:30:05.920+01:00',
  x: 640,
  y: 210,
  width: 96,
  height: 120,
  confidence: 0.93,
  detectionProperties: { CLASSIFICATION: 'person' },
};

const REPORTED = { at: '2026-03-01T10:30:06.000+01:00', error: 'The receiver answered 503.' };

const REQUEST = {
  enableOutputToDisk: true,
  externalId: 'gate 3',
  jobProperties: { FRAME_INTERVAL: '5' },
  algorithmProperties: { FACE: { MIN_FACE_SIZE: '48' } },
  stream: {
    streamUri: 'rtsp://camera.example/live',
    segmentSize: 100,
    mediaProperties: { ROTATION: '90' },
  },
  stallTimeout: 30_000,
  pipelineName: 'FACE DETECTION PIPELINE',
  healthReportCallbackUri: 'https://receiver.example/health',
  summaryReportCallbackUri: 'https://receiver.example/segments',
  stallCallbackUri: 'https://receiver.example/stalls',
};

const STREAM = {
  jobId: 14,
  outputObjectDirectory: DIRECTORY,
  streamUri: 'rtsp://camera.example/live',
  startDate: '2026-03-01T10:30:00.000+01:00',
  endDate: '2026-03-01T11:30:00.000+01:00',
  jobStatus: 'IN_PROGRESS',
  jobStatusDetail: 'The camera has sent no frame for 12 s.',
  pipelineName: 'FACE DETECTION PIPELINE',
  activityFrameId: '148',
  activityTimestamp: '2026-03-01T10:30:05.920+01:00',
  externalId: 'gate 3',
  owner: { user: 'ada', group: 'editors' },
  segments: 2,
  picture: { width: 1_280, height: 720, fps: 25 },
  frames: { read: 250, processed: 50, dropped: 12, skipped: 188, reconnects: 1 },
  warnings: ['The property MERGE_TRACKS has no effect on streams.'],
  reports: { health: REPORTED, summary: REPORTED, dropped: 1 },
};

export const STREAMS = {
  StreamingJobCreationRequest: [REQUEST],
  StreamingJobCreationResponse: [{ jobId: 14, outputObjectDirectory: DIRECTORY, coreResponse: DONE }],
  StreamingJobCreationProblem: [
    { jobId: -1, outputObjectDirectory: DIRECTORY, coreResponse: DONE, ...PROBLEM },
  ],
  StreamingJobCancelResponse: [
    { jobId: 14, doCleanup: false, outputObjectDirectory: DIRECTORY, coreResponse: DONE },
  ],
  StreamingJobCancelProblem: [
    { jobId: 14, doCleanup: false, outputObjectDirectory: DIRECTORY, coreResponse: DONE, ...PROBLEM },
  ],
  StreamingJobInfo: [STREAM],
  AllStreamingJobsInfoModel: [{ jobIds: [14, 15] }],
  HealthReport: [
    {
      reportDate: '2026-03-01T10:30:06.000+01:00',
      reports: [
        {
          jobId: 14,
          externalId: 'gate 3',
          jobStatus: 'STALLED',
          jobStatusDetail: 'The camera has sent no frame for 12 s.',
          activityFrameId: '148',
          activityTimestamp: '2026-03-01T10:30:05.920+01:00',
        },
      ],
    },
  ],
  SummaryReport: [
    {
      reportDate: '2026-03-01T10:30:08.000+01:00',
      jobId: 14,
      externalId: 'gate 3',
      segmentId: 1,
      segmentStartFrame: 100,
      segmentStopFrame: 199,
      errorMessage: 'Frame 120 cannot be decoded.',
      output: {
        FACE: [
          {
            id: '4',
            liveId: 'a3f9-4',
            startOffsetFrame: 140,
            stopOffsetFrame: 174,
            startTimestamp: '2026-03-01T10:30:05.600+01:00',
            stopTimestamp: '2026-03-01T10:30:06.960+01:00',
            type: 'FACE',
            confidence: 0.93,
            trackProperties: { CLASSIFICATION: 'person' },
            exemplar: DETECTION,
            detections: [DETECTION],
          },
        ],
      },
    },
  ],
};
