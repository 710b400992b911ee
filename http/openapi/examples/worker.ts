/** Examples for components, and for nodes on other hosts. */
const TOKEN = 'kQ3v0Jr9TzWm1xYc8LdPqA';
const AT = 1_790_000_000_000;
const SERVICE = 'host:FaceDetection:1';
const WORKER = 'host:FaceDetection:1#0';
const NUMBER = 5;

const ASSIGNMENT = {
  token: TOKEN,
  id: 'host-12.1.0.0.0.1',
  kind: 'DETECT',
  algorithm: 'MOTION',
  attempt: 1,
  heartbeatMs: 1_000,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  last: true,
  work: { trackType: 'MOTION', range: { start: 200, stop: 249 } },
};

const FAILURE = {
  code: 'COULD_NOT_READ_MEDIA',
  message: 'Frame 120 cannot be decoded.',
  mayPass: true,
};

const STREAM_EVENTS = [
  { type: 'opened', at: AT, width: 1_280, height: 720, fps: 25 },
  { type: 'stalled', at: AT, cause: 'The camera has sent no frame for 12 s.' },
  { type: 'running', at: AT },
  { type: 'reconnecting', at: AT, cause: 'The connection was reset.' },
  { type: 'activity', at: AT, frame: 148 },
  { type: 'warning', at: AT, message: 'The property MERGE_TRACKS has no effect on streams.' },
  {
    type: 'trackBegan',
    at: AT,
    liveId: 'a3f9-4',
    trackType: 'FACE',
    action: 1,
    frame: 140,
    x: 640,
    y: 210,
    width: 96,
    height: 120,
    confidence: 0.93,
    properties: { CLASSIFICATION: 'person' },
  },
  { type: 'zones', at: AT, seq: 3, events: [], state: { tracks: {}, last: {}, reached: [], ignored: 0 } },
  { type: 'trackEnded', at: AT, liveId: 'a3f9-4', frame: 174 },
];

const REST = 'It has had no work for 10 minutes.';

export const WORKER_EXAMPLES = {
  ClaimRequest: [{ algorithms: ['MOTION'], max: 1, waitMs: 25_000, inTurn: true }],
  ClaimAnswer: [{ work: [ASSIGNMENT] }],
  ResultAnswer: [{ work: [ASSIGNMENT] }],
  FailureRequest: [FAILURE],
  AnswersRequest: [
    {
      answers: [
        {
          token: TOKEN,
          ms: 12,
          cpuMs: 11.5,
          lines: '{"track":{"startFrame":200,"stopFrame":210}}\n',
          failure: FAILURE,
        },
      ],
      algorithms: ['MOTION'],
      max: 8,
    },
  ],
  AnswersAnswer: [{ refused: [null, 'The lease is no longer yours.'], work: [ASSIGNMENT] }],
  HeartbeatAnswer: [{ go: 'on' }],
  StoredFile: [
    {
      path: '/data/files/12/page-3.png',
      bytes: 48_211,
      sha256: 'c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f3b1f4c9bd8a2f4e7',
    },
  ],
  StreamEvents: [
    { events: STREAM_EVENTS, counts: { read: 250, processed: 50, dropped: 12, skipped: 188, reconnects: 1 } },
  ],
  StreamAnswer: [{ go: 'on', wantsFrame: true }],
  NodeSyncRequest: [
    {
      instance: 'f3Jr9TzWm1xYc8LdPqA0kQ',
      formerly: 'a0kQf3Jr9TzWm1xYc8LdPq',
      turn: 12,
      version: '0.1.0',
      server: 'Wm1xYc8LdPqA0kQf3Jr9Tz',
      done: NUMBER,
      configuration: '3',
      services: [],
      processes: [{ worker: WORKER, tokenHash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' }],
      news: [
        { what: 'gone', number: 6, worker: WORKER, counted: true, reason: 'It ended with code 1.' },
        {
          what: 'unavailable',
          number: 7,
          queue: 'TROUPE.DETECTION_FACE_REQUEST',
          reason: 'The service FaceDetection can no longer be launched.',
        },
        { what: 'configured', number: 8 },
        {
          what: 'lines',
          number: 9,
          request: 'r-1',
          lines: [{ at: AT, worker: WORKER, source: 'stdout', text: 'The model is loaded.' }],
        },
      ],
      installed: [],
      leaving: false,
      nodeClass: 'gpu',
      draining: true,
      waitMs: 2_500,
    },
  ],
  NodeSyncAnswer: [
    {
      server: 'Wm1xYc8LdPqA0kQf3Jr9Tz',
      taken: 9,
      configuration: {
        version: '4',
        services: [],
        queues: { FaceDetection: ['TROUPE.DETECTION_FACE_REQUEST'] },
      },
      commands: [
        { type: 'startService', number: NUMBER, id: 'c-1', service: SERVICE },
        { type: 'stopService', number: NUMBER, id: 'c-2', service: SERVICE },
        { type: 'kill', number: NUMBER, id: 'c-3', worker: WORKER, reason: REST },
        { type: 'tellLines', number: NUMBER, id: 'c-4', service: SERVICE, request: 'r-1' },
        { type: 'rest', number: NUMBER, id: 'c-5', worker: WORKER },
        { type: 'cameUp', number: NUMBER, id: 'c-6', worker: WORKER },
      ],
      wanted: { 'TROUPE.DETECTION_FACE_REQUEST': 2 },
      token: 'Jr9TzWm1xYc8LdPqA0kQf3',
      working: 2,
    },
  ],
};
