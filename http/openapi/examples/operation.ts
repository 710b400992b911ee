/** Examples for operators: users, components, nodes, actors and messages. */
const PAUSED = { since: '2026-03-01T09:30:00.000Z', by: 'ada' };
const ERROR = 'MIN_FACE_SIZE: must be a whole number; it is abc.';

const ACTOR = {
  name: 'batch-job/12',
  kind: 'batch-job',
  id: '12',
  parent: 'jobs',
  state: 'IDLE',
  status: 'IN_PROGRESS',
  messagesWaiting: 0,
  mailboxLimit: 1_000,
  recentFailures: 1,
  allowedFailures: 3,
  failureWindowMs: 60_000,
  totalFailures: 1,
  lastFailure: { message: 'The disk is full.', at: '2026-03-01T09:30:00.000Z', counted: false },
  lastMessage: { type: 'subJobDone', at: '2026-03-01T09:30:10.000Z' },
  runningMs: 2,
  loadedAt: '2026-03-01T09:29:00.000Z',
};

const SERVICE = {
  serviceName: 'FaceDetection',
  serviceDescription: 'Finds faces.',
  serviceLauncher: 'simple',
  cmd: 'node',
  serviceCount: 2,
  workingDirectory: 'components/detectors/face',
  args: ['main.js'],
  environmentVariables: [{ name: 'PATH', value: '/opt/models/bin', sep: ':' }],
};

const DEPLOYED = {
  name: 'host:FaceDetection:1',
  kind: 'simple',
  rank: 1,
  serviceCount: 2,
  lastKnownState: 'Running',
  restartCount: 0,
  unlaunchable: false,
  draining: PAUSED,
};

const KEY = {
  id: 'k-4d1c',
  name: 'nightly import',
  role: 'USER',
  owner: { name: 'ada', subject: '8f2c-11', group: 'editors' },
  created: '2026-03-01T09:30:00.000Z',
  expires: '2026-05-30T09:30:00.000Z',
  lastUsed: '2026-03-02T01:00:00.000Z',
};

const PROPERTY = {
  name: 'MIN_FACE_SIZE',
  description: 'Drops faces that are less than this many pixels high.',
  type: 'INT',
  defaultValue: '48',
  propertiesKey: 'face.min.size',
};

const ELEMENT = { name: 'PLATES', description: 'Reads number plates.', warnings: [ERROR] };

const ACTION = {
  name: 'PLATES',
  description: 'Reads number plates.',
  algorithm: 'PLATE',
  properties: [{ name: 'MERGE_TRACKS', value: 'TRUE' }],
};
const TASK = { name: 'PLATES', description: 'Reads number plates.', actions: ['PLATES'] };
const PIPELINE = { name: 'PLATES', description: 'Reads number plates.', tasks: ['PLATES'] };

const DESCRIPTOR = {
  componentName: 'PlateReader',
  componentVersion: '1.0',
  middlewareVersion: '1.0',
  sourceLanguage: 'python',
  batchLibrary: 'plate_reader',
  streamLibrary: 'plate_reader',
  environmentVariables: [{ name: 'PATH', value: '/opt/models/bin', sep: ':' }],
  algorithm: {
    name: 'PLATE',
    description: 'Reads number plates.',
    actionType: 'DETECTION',
    trackType: 'TEXT',
    outputChangedCounter: 1,
    mediaTypes: ['VIDEO', 'IMAGE'],
    classes: ['person', 'car'],
    requiresCollection: { states: ['DETECTION_CLASS'] },
    providesCollection: {
      states: ['DETECTION', 'DETECTION_TEXT'],
      properties: [PROPERTY],
      trackType: 'TEXT',
    },
  },
  actions: [ACTION],
  tasks: [TASK],
  pipelines: [PIPELINE],
};

export const OPERATION = {
  InfoModel: [
    {
      app: 'Troupe',
      appFamily: 'Media analysis',
      buildNum: '0',
      gitBranch: 'main',
      gitHash: '29f46a4',
      version: '0.1.0',
    },
  ],
  Caller: [
    {
      name: 'ada',
      subject: '8f2c-11',
      roles: ['USER', 'ADMIN'],
      session: { expires: '2026-03-01T21:30:00.000Z', idleUntil: '2026-03-01T10:00:00.000Z' },
    },
  ],
  ActorPage: [
    {
      kinds: [{ kind: 'batch-job', parent: 'root', actors: 12, restarts: 1, escalations: 0, undelivered: 0 }],
      actors: [ACTOR],
      next: '14',
    },
  ],
  AuditPage: [
    {
      entries: [
        {
          at: '2026-03-01T09:30:00.000Z',
          user: 'ada',
          subject: '8f2c-11',
          client: 'nightly-import',
          method: 'POST',
          path: '/rest/jobs',
          status: 201,
          outcome: 'done',
          jobId: 'host-12',
          ip: '192.0.2.7',
          requestId: 'b1946ac9-2492-4d4e-9c0c-7f0d0b1c2f3a',
        },
      ],
      next: '1772357400000.1.b7',
    },
  ],
  Drain: [{ name: 'host:FaceDetection:1', draining: PAUSED, working: 2 }],
  QueueInfo: [{ name: 'TROUPE.DETECTION_FACE_REQUEST', messagesInQueue: 12, paused: PAUSED }],
  NodeManagerModel: [{ host: 'host', services: [SERVICE] }],
  NodeClass: [{ name: 'gpu', services: [SERVICE] }],
  ServiceModel: [SERVICE],
  DeployedServiceModel: [DEPLOYED],
  DeployedNodeManagerModel: [{ nodeModels: [DEPLOYED] }],
  ServiceLog: [
    {
      name: 'host:FaceDetection:1',
      lines: [
        {
          at: '2026-03-01T09:30:00.000Z',
          process: 'host:FaceDetection:1#0',
          source: 'stdout',
          text: 'The model is loaded.',
        },
      ],
    },
  ],
  NodeInfo: [
    {
      host: 'gpu-1',
      own: false,
      connected: true,
      configured: true,
      version: '0.1.0',
      lastHeard: '2026-03-01T09:30:00.000Z',
      services: 4,
      running: 3,
      nodeClass: 'gpu',
      draining: PAUSED,
    },
  ],
  SystemMessage: [
    {
      id: 7,
      msg: 'The server goes down at noon.',
      datePosted: '2026-03-01T09:30:00.000Z',
      msgEnum: 'eServerDown',
      msgType: 'all',
      removeStrategy: 'manual',
      severity: 'warning',
    },
  ],
  ApiKey: [KEY],
  NewApiKey: [{ ...KEY, key: 'troupe_k-4d1c_Jr9TzWm1xYc8LdPqA0kQ' }],
  BrowserSession: [
    {
      id: 'b-77aa',
      user: { name: 'ada', subject: '8f2c-11' },
      browser: 'Firefox on Linux',
      began: '2026-03-01T09:30:00.000Z',
      lastUsed: '2026-03-01T09:45:00.000Z',
      ends: '2026-03-01T10:15:00.000Z',
      current: true,
    },
  ],
  Component: [
    {
      componentName: 'PlateReader',
      componentVersion: '1.0',
      managed: false,
      registeredBy: 'ada',
      algorithm: 'PLATE',
      replacedBy: 'PlateReader2',
      supportsBatchProcessing: true,
      supportsStreamProcessing: false,
    },
  ],
  ComponentDescriptor: [DESCRIPTOR],
  Registered: [{ message: 'New component registered.', warnings: [ERROR] }],
  Pipeline: [{ ...ELEMENT, tasks: ['PLATES'] }],
  Task: [{ ...ELEMENT, actions: ['PLATES'] }],
  Action: [{ ...ELEMENT, ...ACTION }],
  PipelineCreation: [PIPELINE],
  TaskCreation: [TASK],
  ActionCreation: [ACTION],
  Algorithm: [
    {
      name: 'FACE',
      description: 'Finds faces.',
      actionType: 'DETECTION',
      supportsBatchProcessing: true,
      supportsStreamProcessing: true,
      requiresCollection: { states: ['DETECTION_CLASS'] },
      providesCollection: { states: ['DETECTION', 'DETECTION_FACE'], properties: [PROPERTY] },
    },
  ],
  MediaCheck: [{ media: [{ usable: false, message: 'There is no file /media/street.mp4.' }] }],
};
