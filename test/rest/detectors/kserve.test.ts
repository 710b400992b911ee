/**
 * A network on a model server: jobs succeed although it is unreachable at first, and no response shows its
 * key.
 */
import { expect } from 'chai';
import { yoloModel } from '../../components/models/onnx/own-model.ts';
import { KserveServer } from '../../support/servers/kserve-server.ts';
import { colourModel } from '../../support/media/onnx-model.ts';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const KEY = 'sk-very-secret-key';
const PETS = { parameters: { CLASS_NAMES: '["cat", "dog"]' } };

describe('A network on a model server', () => {
  let service: Service;
  let server: KserveServer;
  before(async () => {
    service = await Service.openShared();
    server = await KserveServer.start();
    await serve();
  });
  after(async () => {
    await server.close();
    await service.close();
  });

  const serve = async () => {
    await server.serve('pets', yoloModel({ dims: ['n', 3, 32, 32], boxes: LIT, light: 0.01 }), PETS);
    await server.serve('colours', colourModel({ name: 'images', dims: [1, 3, 8, 8] }, 'output0'), {
      labels: ['red', 'green', 'blue'],
    });
  };
  const job = (medium: string, properties: Record<string, string> = {}, pipeline = 'DETECTION') => ({
    media: [sampleUri(medium)],
    pipelineName: `KSERVE ${pipeline} PIPELINE`,
    jobProperties: {
      TRITON_SERVER: server.address,
      MODEL_NAME: 'pets',
      API_TOKEN: KEY,
      // The test network finds the same objects in every picture, so it would also find them in every tile.
      TILE_SIZE: '0',
      COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS: '5',
      COMPONENT_HTTP_RETRY_MAX_DELAY_MS: '20',
      ...properties,
    },
  });

  it('is waited for when its server is away, which costs no attempt; it follows what it finds', async () => {
    const { port } = server;
    await server.close();
    const id = await service.submit(job('face_move.mp4', { DETECTION_FRAME_BATCH_SIZE: '4' }));
    const detect = () =>
      service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.`) && /(\.\d+){5}$/.test(subJob));
    await until('the sub-job is at work', detect, ({ length }) => length > 0);
    server = await KserveServer.start(port);
    await serve();
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    const tracks = tracksOf(medium, 'CLASS');
    expect(tracks.map(({ trackProperties }) => trackProperties['CLASSIFICATION'])).to.have.members([
      'cat',
      'dog',
    ]);
    for (const { startOffsetFrame, stopOffsetFrame } of tracks)
      expect([startOffsetFrame, stopOffsetFrame]).to.deep.equal([0, Number(medium!['length']) - 1]);
    expect(detect().every(({ attempt }) => attempt === 1)).to.equal(true);
  });

  it('is refused without its server or its name, unless each medium has them', async () => {
    const { media, ...rest } = job('coffee.png');
    const without = { ...rest, jobProperties: { ...rest.jobProperties, TRITON_SERVER: '' } };
    const ask = (one: object, query = '') =>
      service.ask('POST', `/rest/jobs${query}`, { ...without, media: [one] });
    const mediaUri = media[0];
    const { status, text } = await ask({ mediaUri });
    expect([status, text.includes('The TRITON_SERVER property is not set')]).to.deep.equal([400, true]);
    const properties = { TRITON_SERVER: server.address };
    expect((await ask({ mediaUri, properties }, '?dryRun=true')).status).to.equal(200);
  });

  it('classifies images', async () => {
    const document = await service.run(job('coffee.png', { MODEL_NAME: 'colours' }, 'CLASSIFICATION'));
    const [track] = tracksOf(document.media[0], 'CLASS');
    expect(track!.trackProperties['CLASSIFICATION LIST']).to.match(
      /^(red|green|blue)(; (red|green|blue)){2}$/,
    );
  });

  it('looks at the regions that a task before it found', async () => {
    const { jobProperties } = job('');
    const document = await service.run({
      media: [sampleUri('astronaut.png')],
      jobProperties,
      pipelineDefinition: {
        pipeline: ['FACE DETECTION TASK', 'SERVED'],
        tasks: [{ name: 'SERVED', actions: ['SERVED'] }],
        actions: [
          {
            name: 'SERVED',
            algorithm: 'KSERVE',
            properties: [{ name: 'FEED_FORWARD_TYPE', value: 'REGION' }],
          },
        ],
      },
    });
    const [face] = tracksOf(document.media[0], 'FACE');
    const found = tracksOf(document.media[0], 'CLASS');
    expect(found).to.have.length(2);
    const { x, width } = face!.exemplar;
    for (const { exemplar } of found) expect(exemplar.x).to.be.within(x, x + width - exemplar.width);
  });

  it('is not there: an error says what to do and shows no secret, and other jobs continue', async () => {
    const wrong = {
      MODEL_NAME: 'cats',
      TRITON_SERVER: `eve:hunter2@${server.address}`,
      OUTPUT_DETAILS: 'TRUE',
    };
    const [document, good] = await Promise.all([
      service.run(job('coffee.png', wrong)),
      service.run(job('coffee.png')),
    ]);
    expect(JSON.stringify(document.errors))
      .to.include('NETWORK_ERROR')
      .and.include('it has no model cats that is ready')
      .and.include('there are pets, colours');
    expect(tracksOf(good.media[0], 'CLASS')).to.have.length(2);
    const log = JSON.stringify(service.log());
    for (const text of [JSON.stringify(document), (await service.ask('GET', '/rest/jobs')).text, log])
      expect(text).to.not.include(KEY).and.not.include('hunter2');
  });
});

/** A cat and a dog, with slightly higher confidence in bright pictures. */
const LIT = [
  [16, 16, 8, 8, 0.9, 0.05],
  [27, 16, 6, 12, 0.1, 0.8],
] as const;
