/** Examples of streaming jobs and the reports about them. */
const DONE = { responseCode: 0, message: null };
const DIRECTORY = '/data/streams/14';

const PROBLEM = {
  message: 'There is no streaming job 14.',
  code: 'job-not-found',
  help: '/docs/reference/rest-errors#job-not-found',
};

const ZONE = { name: 'yard', points: [[0.1, 0.4], [0.9, 0.4], [0.9, 1], [0.1, 1]] }; // oxfmt-ignore
const LINE = { name: 'gate', points: [[0.5, 0.2], [0.5, 0.9]] }; // oxfmt-ignore
const RULE = {
  ...{ name: 'loiter', zone: 'yard', classes: ['PERSON'], minConfidence: 0.5, longerThan: 10, coolDown: 60 },
  between: { from: '22:00', to: '06:00', timeZone: 'Europe/Berlin', days: ['FRI', 'SAT'] },
};
const RULES = [
  RULE,
  { name: 'crowd', zone: 'yard', event: 'COUNT', atLeast: 5 },
  { name: 'way in', line: 'gate', direction: 'TO_RIGHT' },
];

const HAPPENED = {
  ...{ id: '9b2d5c8e3f6a1b0d4f1c0e9a', jobId: 14, track: 'a3f9-4', class: 'PERSON', confidence: 0.93 },
  ...{ at: 1_772_357_395_900, time: '2026-03-01T09:29:55.900Z', frame: 46 },
  box: { x: 610, y: 205, width: 96, height: 120 },
};
const HAPPENINGS = [
  { ...HAPPENED, event: 'entered', zone: 'yard', occupancy: 1 },
  { ...HAPPENED, event: 'crossed', line: 'gate', direction: 'TO_RIGHT' },
  { ...HAPPENED, event: 'classChanged', before: 'CAR' },
];

const ZONE_EVENT = {
  ...{
    id: '4f1c0e9a7d2b5c8e3f6a1b0d',
    jobId: 14,
    event: 'rule',
    kind: 'DWELL',
    rule: 'loiter',
    zone: 'yard',
  },
  ...{
    at: 1_772_357_405_920,
    time: '2026-03-01T09:30:05.920Z',
    frame: 148,
    track: 'a3f9-4',
    class: 'PERSON',
  },
  ...{ confidence: 0.93, since: 1_772_357_395_900, dwellMs: 10_020 },
  box: { x: 640, y: 210, width: 96, height: 120 },
  crop: 'data:image/jpeg;base64,/9j/4AAQSkZJRg==',
  ...{ cropFrame: 149, cropAt: 1_772_357_405_960 },
  clip: '/rest/streaming/jobs/14/recordings/clip.mp4?start=2026-03-01T09:29:50.900Z&stop=2026-03-01T09:30:10.920Z',
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
  ...{ zones: [ZONE], lines: [LINE], rules: RULES, anchor: 'BOTTOM' },
  events: {
    kinds: ['RULE'],
    callbackUri: 'https://receiver.example/events',
    mqtt: { url: 'mqtts://broker.example:8883', topic: 'site/gate', discoveryPrefix: 'homeassistant' },
  },
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
  zones: {
    ...{ zones: [ZONE], lines: [LINE], rules: RULES, anchor: 'CENTER' },
    ...{
      occupancy: { yard: 1 },
      pending: 2,
      dropped: 0,
      trouble: 'Publishing to the broker mqtts://broker.example:8883 failed.',
      ignored: 0,
    },
  },
};

/** Example of the events and counts in the zones of a file. */
export const ZONE_RUN = {
  events: [
    {
      ...{ event: 'rule', kind: 'DWELL', rule: 'loiter', zone: 'yard', at: 15_920, since: 5_900 },
      ...{ dwellMs: 10_020, frame: 398, track: '4', class: 'PERSON', confidence: 0.93 },
      box: { x: 640, y: 210, width: 96, height: 120 },
    },
    ...HAPPENINGS.map(({ id: _, jobId: __, time: ___, ...event }) => event),
  ],
  omitted: 0,
  counts: {
    classes: { PERSON: 12 },
    zones: { yard: { entered: 5, left: 5, dwellMs: 62_400 } },
    lines: { gate: { toRight: 7, toLeft: 5 } },
    rules: { loiter: 1 },
  },
  most: { yard: 2 },
  warnings: ['The times of these rules have no effect: loiter.'],
};

export const STREAMS = {
  StreamingJobCreationRequest: [REQUEST],
  StreamingJobRestartRequest: [REQUEST],
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
  Zone: [ZONE],
  Line: [LINE],
  Rule: RULES,
  ZoneEvent: [ZONE_EVENT, ...HAPPENINGS],
  StreamEventList: [{ events: [ZONE_EVENT] }],
  StreamEventWebhook: [{ type: 'stream.rule', timestamp: ZONE_EVENT.time, data: ZONE_EVENT }],
  ZoneRunRequest: [
    {
      ...{ zones: [ZONE], lines: [LINE], rules: RULES, anchor: 'BOTTOM' },
      startsAt: '2026-03-01T22:30:00+01:00',
    },
  ],
  ZoneRun: [ZONE_RUN],
  MediumZoneRun: [ZONE_RUN],
  HourlyCounts: [
    {
      hours: [
        {
          start: '2026-03-01T09:00:00.000Z',
          classes: { PERSON: 12 },
          zones: { yard: { entered: 5, left: 4, dwellMs: 62_400 } },
          lines: { gate: { toRight: 7, toLeft: 5 } },
          rules: { loiter: 1 },
        },
      ],
    },
  ],
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
          events: {
            pending: 2,
            dropped: 0,
            trouble: 'Publishing to the broker mqtts://broker.example:8883 failed.',
          },
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
            task: 'FACE DETECTION TASK',
            action: 'FACE DETECTION ACTION',
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
