/** Values of body fields that pass the first validation, so that requests reach deeper code. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { WORKFLOW_PROPERTY_ROWS } from '../../../domain/properties/workflow-property-table.ts';
import { sampleUri } from '../../support/processes/service.ts';
import { nastyName, nastyText, shortNastyText, type Json } from './nasty.ts';
import type { Known } from './schema-values.ts';

const orNasty = (...known: readonly Json[]): Arbitrary<Json> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: nastyText });

/** No process listens here, so no request of the server leaves this machine. */
const NOWHERE = 'http://127.0.0.1:9/';
const ELEMENTS = ['LIGHT TASK', 'LIGHT ACTION', 'light pipeline', 'FUZZ', 'FUZZ TASK', 'NO SUCH'];
const media = orNasty(
  sampleUri('astronaut.png'),
  sampleUri('astronaut.png'),
  sampleUri('no-such.png'),
  'file:///etc/passwd',
  `${NOWHERE}a.png`,
  'ftp://127.0.0.1/a',
  'data:image/png;base64,AAAA',
  'data:,',
  'file://%00',
  'http://[',
);
const callback = orNasty(
  NOWHERE,
  'http://[::1]:9/?a=${jobid}',
  'HTTP://LOCALHOST:9',
  'ftp://127.0.0.1/',
  'http://[',
);
/** No program has these names, so no process is started. */
const command = fc.constantFrom<Json>(
  '/no/such/program',
  'no-such-program',
  '..',
  '/',
  '${NO_SUCH}/x',
  '${TROUPE_HOME}/no-such',
);

/** By name of the field. */
export const knownFields: Known['fields'] = {
  mediaUri: media,
  streamUri: media,
  pipelineName: orNasty('LIGHT PIPELINE', 'light pipeline', 'LIGHT TWICE PIPELINE', 'FUZZ', ''),
  callbackURL: callback,
  callbackMethod: orNasty('GET', 'post', 'PUT'),
  healthReportCallbackUri: callback,
  summaryReportCallbackUri: callback,
  stallCallbackUri: callback,
  cmd: command,
  host: orNasty('test-host', 'other-host'),
  serviceCount: fc.integer({ min: 0, max: 3 }),
  workingDirectory: orNasty('.', '${TROUPE_HOME}', '/no/such/folder'),
  waitMs: fc.integer({ min: 0, max: 20 }),
  algorithms: orNasty('LIGHT', 'ABSENT'),
  tasks: orNasty(...ELEMENTS),
  actions: orNasty(...ELEMENTS),
  pipeline: orNasty(...ELEMENTS),
  componentName: orNasty('FuzzComponent', 'TestLight'),
  actionType: orNasty('DETECTION', 'MARKUP'),
  value: orNasty('1', '0', '-1', 'true', '50%', '1.5', '1e9', '-999999999999'),
};

/** Names of properties and media metadata, most of them with a meaning for the server. */
export const propertyName: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...WORKFLOW_PROPERTY_ROWS.map(([name]) => name)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'LABEL',
      'LIGHT',
      'MIME_TYPE',
      'MEDIA_HASH',
      'FRAME_COUNT',
      'FPS',
      'DURATION',
      'FRAME_WIDTH',
    ),
  },
  { weight: 1, arbitrary: nastyName },
);

const element = { name: 'FUZZ', description: 'Made up.' };
/** Valid bodies, by operation. */
export const goodBodies: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  createJob: { media: [{ mediaUri: sampleUri('astronaut.png') }], pipelineName: 'LIGHT PIPELINE' },
  createStreamingJob: {
    enableOutputToDisk: true,
    stream: { streamUri: 'rtsp://127.0.0.1:9/live', segmentSize: 100 },
    stallTimeout: 1_000,
    pipelineName: 'LIGHT PIPELINE',
  },
  addPipeline: { ...element, tasks: ['LIGHT TASK'] },
  addTask: { ...element, actions: ['LIGHT ACTION'] },
  addAction: { ...element, algorithm: 'LIGHT' },
  registerComponent: {
    componentName: 'FuzzComponent',
    componentVersion: '1.0',
    middlewareVersion: '1.0',
    sourceLanguage: 'python',
    batchLibrary: 'fuzz',
    environmentVariables: [],
    algorithm: {
      name: 'FUZZ',
      description: 'Made up.',
      actionType: 'DETECTION',
      requiresCollection: { states: [] },
      providesCollection: { states: ['DETECTION'], properties: [] },
    },
  },
};

const track = (properties: Json): Json => ({
  startFrame: 0,
  stopFrame: 0,
  confidence: 0.5,
  properties,
  detections: [{ frame: 0, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} }],
});
const lines = fc
  .array(
    fc.oneof(
      fc.dictionary(shortNastyText, nastyText, { maxKeys: 3 }).map((own) => JSON.stringify(track(own))),
      nastyText.map((text) => JSON.stringify({ ...(track({}) as object), confidence: text })),
      nastyText,
    ),
    { maxLength: 4 },
  )
  .map((all) => all.join('\n'));

/** A body that is not JSON, by its content type. */
export function bodyFor(type: string | undefined): Arbitrary<string | Buffer | undefined> {
  if (type === undefined) return fc.constant(undefined);
  return type === 'application/x-ndjson'
    ? lines
    : fc.uint8Array({ minLength: 1, maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
}
