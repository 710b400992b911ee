/**
 * POST /rest/jobs?dryRun=true (an extension): validates the request, returns the plan, and stores nothing.
 */
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const IMAGE = sampleUri('camera.png');

interface Step {
  readonly served: boolean;
  readonly reason: string | null;
}

describe('A dry run', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    const light = { media: [{ mediaUri: IMAGE }], pipelineName: 'LIGHT PIPELINE' };
    await service.run({ ...light, media: [IMAGE] });
    // A component counts as running only while it claims work, so wait for its next claim.
    await until(
      'somebody takes its work',
      () => tryRequest(light),
      ({ body }) => JSON.stringify(body).includes('"served":true'),
    );
  });
  after(() => service.close());

  const tryRequest = (request: object, query = 'dryRun=true') =>
    service.ask('POST', `/rest/jobs?${query}`, request);

  it('refuses an Idempotency-Key that the creation of the job would refuse', async () => {
    const request = { media: [{ mediaUri: IMAGE }], pipelineName: 'LIGHT PIPELINE' };
    const key = { 'idempotency-key': 'x'.repeat(256) };
    const { status, body } = await service.ask('POST', '/rest/jobs?dryRun=true', request, key);
    expect([status, (body as { coreResponse: object }).coreResponse]).to.deep.equal([
      400,
      { responseCode: 1, message: 'Idempotency-Key must have 1 to 255 visible ASCII characters.' },
    ]);
  });

  it('tells tasks, actions, what is in force and not the default, queues, media and warnings', async () => {
    const { status, body } = await tryRequest({
      media: [
        { mediaUri: IMAGE, metadata: { MIME_TYPE: 'image/png' }, frameRanges: [{ start: 3, stop: 9 }] },
        { mediaUri: `${IMAGE}.absent`, timeRanges: [{ start: 2_000, stop: 5_000 }] },
      ],
      pipelineName: 'labelled light pipeline',
      jobProperties: {
        MERGE_TRACKS: true,
        FRAME_INTERVAL: '1',
        FRAME_INTERVALL: '5',
        S3_ACCESS_KEY: 'key-of-somebody',
        S3_SECRET_KEY: 'secret-of-somebody',
      },
      algorithmProperties: { LIGHT: { MIN_OVERLAP: 0.25 } },
    });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      coreResponse: {
        responseCode: 2,
        message:
          'jobProperties: the property FRAME_INTERVALL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.',
      },
      priority: 4,
      pipeline: {
        name: 'LABELLED LIGHT PIPELINE',
        tasks: [
          {
            name: 'LABELLED LIGHT TASK',
            actionType: 'DETECTION',
            actions: [
              {
                name: 'LABELLED LIGHT ACTION',
                algorithm: 'LIGHT',
                properties: {
                  FRAME_INTERVALL: '5',
                  LABEL: 'of the action',
                  MERGE_TRACKS: 'true',
                  MIN_OVERLAP: '0.25',
                  S3_ACCESS_KEY: '<censored>',
                  S3_SECRET_KEY: '<censored>',
                },
                queue: 'TROUPE.DETECTION_LIGHT_REQUEST',
                served: true,
                reason: null,
              },
            ],
          },
        ],
      },
      media: [
        {
          mediaUri: IMAGE,
          mediaType: 'IMAGE',
          problem: null,
          frameRanges: [{ start: 3, stop: 9 }],
          timeRanges: [],
        },
        {
          mediaUri: `${IMAGE}.absent`,
          mediaType: null,
          problem: 'File does not exist',
          frameRanges: [],
          timeRanges: [{ start: 2_000, stop: 5_000 }],
        },
      ],
    });
  });

  it('says of an algorithm whose component cannot work that nobody serves its queue, and why', async () => {
    const waiting = await service.submit({ media: [IMAGE], pipelineName: 'ABSENT PIPELINE' });
    const step = async () => {
      const { body } = await tryRequest({ media: [{ mediaUri: IMAGE }], pipelineName: 'ABSENT PIPELINE' });
      const { tasks } = (body as { pipeline: { tasks: readonly { actions: readonly Step[] }[] } }).pipeline;
      return tasks[0]!.actions[0]!;
    };
    const { served, reason } = await until('nobody serves the queue', step, (seen) => !seen.served);
    expect(served).to.equal(false);
    expect(reason).to.be.a('string').and.not.equal('');
    await service.cancel(waiting);
    await service.terminal(waiting);
  });

  it('stores nothing, also under an Idempotency-Key, and leaves the number of the next job alone', async () => {
    const request = { media: [{ mediaUri: IMAGE }], pipelineName: 'LIGHT PIPELINE' };
    const number = (id: string) => Number(id.split('-').at(-1));
    const before = number(await service.submit(request));
    const key = { 'idempotency-key': 'tried-first' };
    expect((await service.ask('POST', '/rest/jobs?dryRun=True', request, key)).status).to.equal(200);
    const real = await service.ask('POST', '/rest/jobs', request, key);
    expect(real.status).to.equal(201);
    expect(number((real.body as { jobId: string }).jobId)).to.equal(before + 1);
  });

  for (const [what, request, says] of [
    ['an unknown pipeline', { media: [{ mediaUri: IMAGE }], pipelineName: 'NO SUCH' }, /No pipeline named/],
    [
      'media of which none can be used',
      { media: [{ mediaUri: `${IMAGE}.absent` }], pipelineName: 'LIGHT PIPELINE' },
      /all media have errors/,
    ],
    [
      'an archive without an address',
      {
        media: [{ mediaUri: IMAGE }],
        pipelineName: 'LIGHT PIPELINE',
        jobProperties: { ARCHIVE_URL: 'nowhere' },
      },
      /ARCHIVE_URL/,
    ],
    [
      'a range that ends before it starts',
      {
        media: [{ mediaUri: IMAGE, timeRanges: [{ start: 5_000, stop: 2_000 }] }],
        pipelineName: 'LIGHT PIPELINE',
      },
      /media\[0\]\.timeRanges\[0\]\.stop: must not be before start/,
    ],
    ['a field of the wrong kind', { media: 7, pipelineName: 'LIGHT PIPELINE' }, /media: must be a list/],
  ] as const)
    it(`refuses ${what} as the job itself would be refused`, async () => {
      const [dry, real] = [await tryRequest(request), await tryRequest(request, '')];
      expect(dry.status).to.equal(400);
      expect(dry.text).to.match(says);
      expect(dry.body).to.deep.equal(real.body);
    });

  const FACES = 'FACE DETECTION PIPELINE';
  const SOUND = { mediaUri: IMAGE, metadata: { MIME_TYPE: 'audio/mpeg' } };
  const UNFIT =
    'The task "FACE DETECTION TASK" does not process audio/mpeg (AUDIO), only VIDEO, IMAGE. Choose a pipeline for this type.';

  it('refuses media of types that the pipeline does not process, as the job itself', async () => {
    const sounds = [{ mediaUri: 'data:audio/mpeg;base64,AAAA' }, SOUND];
    const request = { media: sounds, pipelineName: FACES };
    const [dry, real] = [await tryRequest(request), await tryRequest(request, '')];
    expect(dry.status).to.equal(400);
    expect((dry.body as { coreResponse: { message: string } }).coreResponse.message).to.equal(
      `Failure creating job. Could not start job because all media have errors: data:…,<truncated>: ${UNFIT}, ${IMAGE}: ${UNFIT}`,
    );
    expect(real.body).to.deep.equal(dry.body);
  });

  it('names the media of such a type among others, of which the job itself warns', async () => {
    const request = { media: [{ mediaUri: IMAGE }, SOUND], pipelineName: FACES };
    const { status, body } = await tryRequest(request);
    const { media, coreResponse } = body as {
      readonly media: readonly { readonly problem: string | null }[];
      readonly coreResponse: { readonly message: string };
    };
    expect([status, media.map(({ problem }) => problem)]).to.deep.equal([200, [null, UNFIT]]);
    expect(coreResponse.message).to.equal(`media[1]: ${UNFIT}`);
    const real = await tryRequest(request, '');
    expect(real.status).to.equal(201);
    expect((real.body as { coreResponse: object }).coreResponse).to.deep.equal({
      responseCode: 2,
      message: `media[1]: ${UNFIT}`,
    });
  });

  it('does not go by the ending of a name', async () => {
    const request = { media: [{ mediaUri: 'https://media.example/a.mp3' }], pipelineName: FACES };
    expect((await tryRequest(request)).status).to.equal(200);
  });

  it('is not taken for one by mistake', async () => {
    const { status, text } = await tryRequest({ media: [], pipelineName: 'X' }, 'dryRun=maybe');
    expect(status).to.equal(400);
    expect(text).to.include('dryRun: must be true or false');
  });
});
