/** Examples by name for parameters whose schema has none. A name means the same in each operation. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  // Parts of paths.
  action: 0,
  componentName: 'PlateReader',
  k: 48,
  media: 31,
  mediaId: 31,
  n: 200,
  name: 'FACE DETECTION PIPELINE',
  node: 'gpu-1',
  picture: 'frame-48.png',
  segment: 1,
  serviceName: 'host:FaceDetection:1',
  task: 0,
  token: 'kQ3v0Jr9TzWm1xYc8LdPqA',
  track: 2,

  // Filters of lists.
  after: '14',
  before: '11',
  class: 'car',
  code: 'COULD_NOT_READ_MEDIA',
  component: 'FACE',
  externalId: 'case 7',
  failure: '9f2c4b7d01e8a356',
  from: '2026-03-01',
  ids: ['host-12', 'host-13'],
  job: 'host-12',
  kind: 'batch-job',
  label: ['set:night'],
  medium: 'street',
  path: '/rest/jobs',
  pipelineName: 'FACE DETECTION PIPELINE',
  receiver: 'receiver.example',
  state: 'FAILED',
  status: ['ERROR'],
  to: '2026-03-31',
  user: 'ada',

  // Search, library and results of a medium.
  anything: 'red car',
  firstOf: ['host-12', 'host-13'],
  interval: 1_000,
  lane: 0,
  minConfidence: 0.8,
  text: 'road closed',
  type: 'TEXT',

  // Requests.
  claim: ['MOTION'],
  'Idempotency-Key': 'import-2026-03-01-17',
  doCleanup: true,
  isActive: false,
  jobPriority: 7,

  // Callbacks.
  externalid: 'case 7',
  jobid: 'host-12',
  outputobjecturi: 'file:///data/output-objects/12/detection.json',
  'webhook-id': 'msg_host-12_1',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'webhook-timestamp': '1772357460',
};
