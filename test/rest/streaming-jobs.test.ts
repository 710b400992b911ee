/** Validation of requests for streaming jobs (specification 2.3 and 4.3). */
import { join } from 'node:path';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import { registerLivePipeline } from '../support/live-pipeline.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const STREAM = { streamUri: 'rtsp://camera.example/live', segmentSize: 10 };
const GOOD = { enableOutputToDisk: true, stream: STREAM, stallTimeout: -1, pipelineName: 'LIVE PIPELINE' };
const START = 'Failure creating streaming job due to an exception. ';

describe('Streaming jobs (specification 4.3)', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
    await registerLivePipeline(service);
  });
  after(() => service.close());

  const create = (body: unknown) => service.ask('POST', '/rest/streaming/jobs', JSON.stringify(body));
  const refusal = async (body: unknown) => {
    const answer = await create(body);
    expect(answer.status).to.equal(400);
    const { jobId, outputObjectDirectory, coreResponse } = answer.body as {
      jobId: number;
      outputObjectDirectory: null;
      coreResponse: { responseCode: number; message: string };
    };
    expect([jobId, outputObjectDirectory, coreResponse.responseCode]).to.deep.equal([-1, null, 1]);
    return coreResponse.message;
  };

  for (const streamUri of [
    'rtsp://camera.example/live',
    'rtsps://camera.example/live',
    'http://camera.example/live',
    'https://camera.example/live',
    'RTSP://camera.example/live',
  ])
    it(`may read a stream from ${streamUri}, with all that a request may say`, async () => {
      const everything = {
        ...GOOD,
        externalId: 'x 1',
        jobProperties: { FRAME_INTERVAL: '2' },
        algorithmProperties: { LIVE: { FRAME_INTERVAL: '2' } },
        stream: { ...STREAM, streamUri, mediaProperties: { FRAME_INTERVAL: '2' } },
        healthReportCallbackUri: 'http://receiver.example/health',
        summaryReportCallbackUri: 'https://receiver.example/summary?x=1',
        stallCallbackUri: 'https://receiver.example/stall',
      };
      const { status, body } = await create(everything);
      const { jobId } = body as { jobId: number };
      expect([status, body]).to.deep.equal([
        201,
        {
          jobId,
          outputObjectDirectory: join(service.dataDir, 'output-objects', String(jobId)),
          coreResponse: { responseCode: 0, message: null },
        },
      ]);
      expect((await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`)).status).to.equal(200);
    });

  const fields = 'The request has errors in the following fields:\n';
  for (const [what, body, message] of [
    ['no stream', { ...GOOD, stream: undefined }, `${fields}stream: `],
    [
      'a blank stream URI',
      { ...GOOD, stream: { ...STREAM, streamUri: ' ' } },
      'A stream URI was not provided',
    ],
    ['no stream URI', { ...GOOD, stream: { segmentSize: 10 } }, `${fields}stream.streamUri: `],
    [
      'a malformed stream URI',
      { ...GOOD, stream: { ...STREAM, streamUri: 'live' } },
      'The stream URI is malformed',
    ],
    [
      'a stream of another scheme',
      { ...GOOD, stream: { ...STREAM, streamUri: 'file:///etc/passwd' } },
      'The scheme of the provided URI is not supported. Only RTSP, HTTP, and HTTPS are supported.',
    ],
    [
      'a segment size below 10',
      { ...GOOD, stream: { ...STREAM, segmentSize: 9 } },
      'The segment size must be at least 10.',
    ],
    [
      'too large a segment size',
      { ...GOOD, stream: { ...STREAM, segmentSize: 100_001 } },
      'The segment size must be at most 100000.',
    ],
    [
      'no segment size',
      { ...GOOD, stream: { ...STREAM, segmentSize: undefined } },
      `${fields}stream.segmentSize: `,
    ],
    [
      'a broken segment size',
      { ...GOOD, stream: { ...STREAM, segmentSize: 10.5 } },
      `${fields}stream.segmentSize: `,
    ],
    ['a stall timeout below -1', { ...GOOD, stallTimeout: -2 }, `${fields}stallTimeout: `],
    ['no stall timeout', { ...GOOD, stallTimeout: undefined }, `${fields}stallTimeout: `],
    ['no enableOutputToDisk', { ...GOOD, enableOutputToDisk: undefined }, `${fields}enableOutputToDisk: `],
    ['no pipeline', { ...GOOD, pipelineName: undefined }, `${fields}pipelineName: `],
    ['an unknown pipeline', { ...GOOD, pipelineName: 'NO SUCH' }, 'No pipeline named: NO SUCH'],
    [
      'a pipeline for batch jobs only',
      { ...GOOD, pipelineName: 'ABSENT PIPELINE' },
      'Expected entire "ABSENT PIPELINE" pipeline to support stream processing',
    ],
    [
      'a report to something that is no web address',
      { ...GOOD, healthReportCallbackUri: 'mailto:me@example.com' },
      `${fields}healthReportCallbackUri: must be an http or https URI`,
    ],
    ...(['healthReportCallbackUri', 'summaryReportCallbackUri', 'stallCallbackUri'] as const).map(
      (name) =>
        [
          `0.0.0.0 as the host of ${name}`,
          { ...GOOD, [name]: 'http://0.0.0.0:8080/report' },
          `${name} is "http://0.0.0.0:8080/report"; nothing can be sent to 0.0.0.0.`,
        ] as const,
    ),
    [
      'a property with a wrong value',
      { ...GOOD, stream: { ...STREAM, mediaProperties: { DETECTION_PADDING_X: 'wide' } } },
      'Property validation failed due to: ',
    ],
  ] as const)
    it(`are refused with ${what}`, async () => {
      expect(await refusal(body)).to.include(`${START}${message}`);
    });

  it('are listed; isActive is true or false', async () => {
    for (const query of ['', '?isActive=', '?isActive=true', '?isActive=false'])
      expect((await service.ask('GET', `/rest/streaming/jobs${query}`)).status, query).to.equal(200);
    for (const query of ['?isActive=yes', '?isActive=true&isActive=false'])
      expect([query, (await service.ask('GET', `/rest/streaming/jobs${query}`)).status]).to.deep.equal([
        query,
        400,
      ]);
  });

  it('take an empty isActive for true', async () => {
    const { body } = await create(GOOD);
    const { jobId } = body as { jobId: number };
    await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
    const listJobs = async (query: string) =>
      ((await service.ask('GET', `/rest/streaming/jobs${query}`)).body as { jobIds: number[] }).jobIds;
    await until(
      'the job is cancelled',
      () => listJobs('?isActive=true'),
      (ids) => !ids.includes(jobId),
    );
    expect(await listJobs('?isActive=')).to.not.include(jobId);
    expect(await listJobs('?isActive=false')).to.include(jobId);
  });

  it('take doCleanup as the field of a form, too; that of the query goes before', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [query, field, expected] of [
      ['', 'doCleanup=true', true],
      ['', 'doCleanup=', false],
      ['', '', false],
      ['?doCleanup=', 'other=1', false],
      ['?doCleanup=false', 'doCleanup=true', false],
    ] as const) {
      const { body } = await create(GOOD);
      const { jobId } = body as { jobId: number };
      const path = `/rest/streaming/jobs/${jobId}/cancel${query}`;
      const cancelled = await service.ask('POST', path, field, form);
      expect([cancelled.status, cancelled.body]).to.deep.include(200);
      expect(cancelled.body, field).to.include({ jobId, doCleanup: expected });
    }
    const { status, body } = await service.ask(
      'POST',
      '/rest/streaming/jobs/987654/cancel',
      'doCleanup=x',
      form,
    );
    expect([status, body]).to.deep.include(400);
    expect(body).to.include({ jobId: 987654, doCleanup: false });
  });

  it('list the pipelines that they can use as they are; every other one is refused', async () => {
    const element = async (kind: string, element: object) =>
      expect(
        (await service.ask('POST', `/rest/${kind}`, { description: 'Own.', ...element })).status,
      ).to.equal(200);
    await element('pipelines', { name: 'ALONE', tasks: ['LIVE TASK'] });
    await element('pipelines', { name: 'SHARED', tasks: ['MOTION DETECTION TASK', 'LIVE TASK'] });
    const namesAt = async (path: string) =>
      ((await service.ask('GET', path)).body as readonly { name: string }[]).map(({ name }) => name);
    const listed = await namesAt('/rest/streaming/pipelines');
    expect(listed).to.include.members([
      ...['ALONE', 'LIVE PIPELINE', 'FACE DETECTION PIPELINE', 'MOTION THEN OBJECT DETECTION PIPELINE'],
    ]);
    const others = (await namesAt('/rest/pipelines')).filter((name) => !listed.includes(name));
    expect(others).to.include.members([
      ...['SHARED', 'ONNX DETECTION PIPELINE', 'KSERVE DETECTION PIPELINE', 'SPEECH DETECTION PIPELINE'],
    ]);
    for (const pipelineName of others)
      expect(await refusal({ ...GOOD, pipelineName }), pipelineName).to.include(START);
    for (const pipelineName of listed) {
      const { status, body } = await create({ ...GOOD, pipelineName });
      expect([pipelineName, status]).to.deep.equal([pipelineName, 201]);
      await service.ask('POST', `/rest/streaming/jobs/${(body as { jobId: number }).jobId}/cancel`);
    }
  });

  it('take a number as externalId for its text', async () => {
    const { status, body } = await create({ ...GOOD, externalId: 4711 });
    const { jobId } = body as { jobId: number };
    expect(status).to.equal(201);
    const told = await service.ask('GET', `/rest/streaming/jobs/${jobId}?details=true`);
    expect(told.body).to.include({ externalId: '4711' });
    await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
    expect(await refusal({ ...GOOD, externalId: true })).to.include('externalId: must be a text or a number');
  });

  it('that are not there are answered 400, empty on get and with details on cancel', async () => {
    for (const id of ['987654', 'x', '-1', '9007199254740993']) {
      const got = await service.ask('GET', `/rest/streaming/jobs/${id}`);
      expect([id, got.status, got.text]).to.deep.equal([id, 400, '']);
      expect([id, (await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`)).status]).to.deep.equal([
        id,
        400,
      ]);
    }
    const { body } = await service.ask('POST', '/rest/streaming/jobs/987654/cancel?doCleanup=true');
    expect(body).to.deep.equal({
      jobId: 987654,
      doCleanup: true,
      outputObjectDirectory: null,
      coreResponse: { responseCode: 1, message: "Streaming job with id 987654 doesn't exist." },
      ...errorMembers('job-not-found', "Streaming job with id 987654 doesn't exist.", `${service.url}/docs`),
    });
    expect((await service.ask('POST', '/rest/streaming/jobs/987654/cancel?doCleanup=maybe')).status).to.equal(
      400,
    );
  });
});
