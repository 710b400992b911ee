import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ArchiveServer } from '../../support/servers/archive-server.ts';
import { answer } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { jobCreated, jobCreatedWithWarning, jobRefused } from './resources.ts';
import { IMAGE, LIGHT, TAKEN, VIDEO, type Suite } from './suite.ts';

const ROW = 'POST /rest/jobs';
const bytes = readFileSync(fileURLToPath(IMAGE));
const DATA = `data:image/png;base64,${bytes.toString('base64')}`;
const SHA256 = createHash('sha256').update(bytes).digest('hex');

/** A job with one medium. */
const of = (mediaUri: string, medium: object = {}) => ({ ...LIGHT, media: [{ mediaUri, ...medium }] });
const transient = (
  actions: readonly object[],
  tasks: object = { tasks: [{ name: 'T', actions: ['A'] }] },
) => ({
  media: [{ mediaUri: IMAGE }],
  pipelineDefinition: { pipeline: ['T'], ...tasks, actions },
});
const bare = of(IMAGE);
/** A job with one medium that is only accepted: no component works on it. */
const takeJob = (mediaUri: string, medium: object = {}) => ({ ...TAKEN, media: [{ mediaUri, ...medium }] });
const plain = takeJob(IMAGE);

/** Valid bodies (chapter 2.1), by the field that each one tests. */
const ALLOWED: Readonly<Record<string, object>> = {
  'pipelineName in other letters': { ...plain, pipelineName: ' absent Pipeline ' },
  'pipelineDefinition of stored tasks': {
    media: plain.media,
    pipelineDefinition: { pipeline: ['ABSENT TASK'] },
  },
  'pipelineDefinition of its own': transient([{ name: 'A', algorithm: 'ABSENT' }]),
  'properties of a TransientAction': transient([
    { name: 'A', algorithm: 'ABSENT', properties: [{ name: 'FRAME_INTERVAL', value: '2' }] },
  ]),
  'a stored action in a TransientTask': transient([], { tasks: [{ name: 'T', actions: ['ABSENT ACTION'] }] }),
  'buildOutput true': { ...plain, buildOutput: true },
  'buildOutput false': { ...plain, buildOutput: false },
  externalId: { ...plain, externalId: '5' },
  jobProperties: { ...plain, jobProperties: { QUALITY_SELECTION_THRESHOLD: '0.1' } },
  algorithmProperties: { ...plain, algorithmProperties: { ABSENT: { QUALITY_SELECTION_THRESHOLD: '0.1' } } },
  'priority 0': { ...plain, priority: 0 },
  'priority 9': { ...plain, priority: 9 },
  'a medium by data:': takeJob(DATA),
  'metadata of an image': takeJob(IMAGE, {
    metadata: { MEDIA_HASH: SHA256, MIME_TYPE: 'image/png', FRAME_WIDTH: '466', FRAME_HEIGHT: '362' },
  }),
  'properties of a medium': takeJob(IMAGE, { properties: { QUALITY_SELECTION_THRESHOLD: '0.1' } }),
  frameRanges: takeJob(VIDEO, {
    frameRanges: [
      { start: 0, stop: 0 },
      { start: 3, stop: 4 },
    ],
  }),
  timeRanges: takeJob(VIDEO, { timeRanges: [{ start: 0, stop: 100 }] }),
  'frameRanges and timeRanges': takeJob(VIDEO, {
    frameRanges: [{ start: 0, stop: 0 }],
    timeRanges: [{ start: 100, stop: 200 }],
  }),
  'null for every optional field': {
    ...takeJob(IMAGE, {
      metadata: null,
      properties: null,
      frameRanges: null,
      timeRanges: null,
      mediaSelectorsOutputAction: null,
      mediaSelectors: null,
    }),
    pipelineDefinition: null,
    buildOutput: null,
    externalId: null,
    jobProperties: null,
    algorithmProperties: null,
    priority: null,
    callbackURL: null,
    callbackMethod: null,
  },
  'null for every optional field of a pipelineDefinition': {
    media: plain.media,
    pipelineName: null,
    pipelineDefinition: { pipeline: ['ABSENT TASK'], tasks: null, actions: null },
  },
  'null for the properties of a TransientAction': transient([
    { name: 'A', algorithm: 'ABSENT', properties: null },
  ]),
};

/** Invalid bodies (chapters 2.1 and 8), by the rule that each one breaks. */
const REFUSED: Readonly<Record<string, unknown>> = {
  'media is required': { pipelineName: 'LIGHT PIPELINE' },
  'mediaUri is required': { ...LIGHT, media: [{}] },
  'the schemes are file, http, https and data': of('ftp://example.org/a.png'),
  'one of pipelineName and pipelineDefinition must be given': { media: bare.media },
  'not both': { ...bare, pipelineDefinition: { pipeline: ['LIGHT TASK'] } },
  'the pipeline is a stored one': { ...bare, pipelineName: 'NO SUCH' },
  'its component must support batch processing': { ...bare, pipelineName: 'LIVE PIPELINE' },
  'pipeline is required in a definition': { media: bare.media, pipelineDefinition: {} },
  'its tasks are given or stored': transient([], { tasks: [] }),
  'name is required in a TransientTask': transient([], { tasks: [{ actions: ['LIGHT ACTION'] }] }),
  'actions is required in a TransientTask': transient([], { tasks: [{ name: 'T' }] }),
  'algorithm is required in a TransientAction': transient([{ name: 'A' }]),
  'it is an existing algorithm': transient([{ name: 'A', algorithm: 'NO SUCH' }]),
  'priority is an integer': { ...bare, priority: 1.5 },
  'priority is 0 or more': { ...bare, priority: -1 },
  'priority is 9 or less': { ...bare, priority: 10 },
  'callbackMethod is GET or POST': { ...bare, callbackMethod: 'PUT' },
  'callbackURL is a properly encoded URL': { ...bare, callbackURL: 'not a url' },
  'start is required in a range': of(VIDEO, { frameRanges: [{ stop: 1 }] }),
  'stop is required in a range': of(VIDEO, { timeRanges: [{ start: 1 }] }),
  'the type of a selector is JSON_PATH': of(IMAGE, {
    mediaSelectorsOutputAction: 'LIGHT ACTION',
    mediaSelectors: [{ expression: '//a', type: 'XPATH', resultDetectionProperty: 'TEXT' }],
  }),
  'mediaSelectors need mediaSelectorsOutputAction': of(IMAGE, {
    mediaSelectors: [{ expression: '$.a', type: 'JSON_PATH', resultDetectionProperty: 'TEXT' }],
  }),
  'jobProperties map strings to strings': { ...bare, jobProperties: { LABEL: ['x'] } },
  'buildOutput is a boolean': { ...bare, buildOutput: 'true' },
  'the body is a JobCreationRequest': [],
};

/** Specification 2.1 and the first row of 4.2. */
export function jobCreation(suite: Suite): void {
  describe('4.2 Creation of batch jobs', () => {
    for (const [what, body] of Object.entries(ALLOWED))
      suite.proves(ROW, 201, `JobCreationResponse, for ${what}`, () =>
        suite.gets(['POST', '/rest/jobs', body], 201, jobCreated),
      );

    for (const [rule, body] of Object.entries(REFUSED))
      suite.proves(ROW, 400, `bad request: ${rule}`, () =>
        suite.gets(['POST', '/rest/jobs', body], 400, jobRefused),
      );

    suite.proves(ROW, 201, 'JobCreationResponse with a warning, for an unknown field', async () => {
      const body = { ...plain, newerThanThis: true };
      const { coreResponse } = await suite.gets(['POST', '/rest/jobs', body], 201, jobCreatedWithWarning);
      expect(coreResponse.message).to.equal('newerThanThis is not a member of a job.');
    });

    suite.proves(ROW, 201, 'JobCreationResponse, for a medium by http:', async () => {
      suite.receiver.manner = (_, response) => void response.writeHead(200).end(bytes);
      const body = of(`${suite.receiver.url}/a.png`);
      const { jobId } = await suite.gets(['POST', '/rest/jobs', body], 201, jobCreated);
      const { jobStatus } = await suite.service.terminal(jobId);
      suite.receiver.manner = answer(200);
      expect(jobStatus).to.equal('COMPLETE');
    });

    suite.proves(ROW, 201, 'JobCreationResponse with each archiveCheckStatus of 2.1', () => checks(suite));
  });
}

async function checks(suite: Suite): Promise<void> {
  const archive = await ArchiveServer.start();
  const create = (metadata: object, more: object = {}) => {
    const jobProperties = { ARCHIVE_URL: archive.url, ...more };
    return suite.gets(['POST', '/rest/jobs', { ...of(IMAGE, { metadata }), jobProperties }], 201, jobCreated);
  };
  const enough = { MEDIA_HASH: SHA256, MIME_TYPE: 'image/png' };
  try {
    const without = await suite.gets(['POST', '/rest/jobs', bare], 201, jobCreated);
    const first = await create(enough);
    const look = async () => (await suite.service.job(first.jobId))?.archiveStatus;
    await until('the archive knows the job', look, (status) => status === 'COMPLETE');
    const all = [
      without,
      first,
      await create(enough, { SKIP_ARCHIVE_CHECK: 'true' }),
      await create({}),
      await create({ MEDIA_HASH: SHA256 }),
      await create(enough),
    ];
    expect(all.map(({ archiveCheckStatus }) => archiveCheckStatus)).to.deep.equal([
      'NO_ARCHIVE_URL_IN_JOB',
      'NO_MATCH',
      'NOT_REQUESTED',
      'MEDIA_HASHES_ABSENT',
      'MEDIA_MIME_TYPES_ABSENT',
      'FOUND_MATCH',
    ]);
    const told = all.map(({ outputObjectUri }) => outputObjectUri !== undefined);
    expect(told).to.deep.equal([false, false, false, false, false, true]);
    for (const { jobId } of all) await suite.service.terminal(jobId);
  } finally {
    await archive.close();
  }
}
