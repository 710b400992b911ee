/**
 * A user-supplied model: a file below MODEL_ROOTS and one job property. For more models, see
 * own-models.long.ts.
 */
import { expect } from 'chai';
import {
  detectionCodes,
  sampleUri,
  Service,
  tracksOf,
  withoutRedis,
} from '../../support/processes/service.ts';
import { Nodes } from '../system/nodes-support.ts';
import { OwnModels } from './own-models-suite.ts';

describe('A model of one’s own', () => {
  let service: Service;
  let models: OwnModels;
  before(async () => {
    service = await Service.openShared();
    models = await OwnModels.of(service);
  });
  after(async () => {
    await models.remove();
    await service.close();
  });

  it('finds things in images and follows them through videos', async () => {
    for (const [medium, frames] of [
      ['hello-world.png', 1],
      ['hello.avi', undefined],
    ] as const) {
      const document = await models.run(medium, 'pets');
      const tracks = tracksOf(document.media[0], 'CLASS');
      const classes = tracks.map(({ trackProperties }) => trackProperties['CLASSIFICATION']);
      expect(classes, medium).to.have.members(['cat', 'dog']);
      const length = frames ?? Number(document.media[0]!['length']);
      for (const { startOffsetFrame, stopOffsetFrame } of tracks)
        expect([startOffsetFrame, stopOffsetFrame]).to.deep.equal([0, length - 1]);
    }
  });

  it('that ends the process of its trial is an error of its medium, after one attempt', async function () {
    if (process.arch !== 'x64') this.skip();
    await models.writeCrashing('crashes when loaded', 'loaded');
    const [document, attempts] = await models.runWithAttempts('crashes when loaded');
    expect(detectionCodes(document)).to.deep.equal(['DETECTION_NOT_INITIALIZED']);
    expect(JSON.stringify(document.media[0])).to.include(
      'The model crashes when loaded ended the process that tried it (SIGFPE)',
    );
    expect(attempts).to.deep.equal([1]);
    await models.goesOn();
  });

  // Servers that share a Redis do not know the model files of other servers.
  describe('of a server that is alone', () => {
    before(withoutRedis);

    it('that does not exist is refused with the models that do, by the job and its dry run', async () => {
      for (const query of ['', '?dryRun=true']) {
        const { status, message } = await models.statusOf('no-such.onnx', {}, query);
        expect(status).to.equal(400);
        expect(message)
          .to.match(
            /^Failure creating job\. Property validation failed due to: The action "ONNX DETECTION ACTION": /,
          )
          .and.to.include('There is no model no-such.onnx below the folders of the setting MODEL_ROOTS')
          .and.to.match(/There are .*\bpets\.onnx/);
      }
    });

    it('is looked for by the names of all media, and an empty name is refused', async () => {
      const mediaUri = sampleUri('hello-world.png');
      const media = [{ mediaUri }, { mediaUri, properties: { MODEL_NAME: 'absent' } }];
      expect((await models.statusOf('pets', { media })).message).to.include('There is no model absent');
      expect((await models.statusOf('')).message).to.include('The MODEL_NAME property is not set');
      expect((await models.statusOf('pets', {}, '?dryRun=true')).status).to.equal(200);
    });

    it('of Whisper that does not exist is refused with the name of its file', async () => {
      const { status, message } = await models.statusOf('', {
        media: [{ mediaUri: sampleUri('vad_groundtruth.wav') }],
        pipelineName: 'WHISPER SPEECH DETECTION PIPELINE',
        jobProperties: { WHISPER_MODEL_SIZE: 'no-such-size' },
      });
      expect(status).to.equal(400);
      expect(message).to.include('There is no Whisper model ggml-no-such-size.bin: put this file');
    });

    it('that does not exist is refused for a live stream, too', async () => {
      const { status, text } = await service.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: false,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 20 },
        jobProperties: { MODEL_NAME: 'absent' },
        stallTimeout: -1,
        pipelineName: 'ONNX DETECTION PIPELINE',
      });
      expect([status, text.includes('There is no model absent below the folders')]).to.deep.equal([
        400,
        true,
      ]);
    });
  });
});

describe('A model that only another host may have', () => {
  let service: Service;
  before(withoutRedis);
  before(async () => {
    service = await Service.here();
  });
  after(() => service?.close());

  it('is accepted, and its dry run says so', async () => {
    const models = await OwnModels.of(service);
    expect((await models.statusOf('absent')).status).to.equal(400);
    const nodes = new Nodes(service);
    const [here] = await nodes.config();
    const away = here!.services.filter(({ serviceName }) => serviceName === 'TroupeOnnxDetection');
    expect((await nodes.save([here!, { host: 'far-host', services: away }])).status).to.equal(201);
    const dry = await models.statusOf('absent', {}, '?dryRun=true');
    expect([dry.status, dry.message]).to.satisfy(
      ([status, message]: [number, string]) =>
        status === 200 && /There is no model absent .* Another host may have it\.$/s.test(message),
    );
    expect(await models.statusOf('absent')).to.deep.equal({ status: 201, message: null });
  });
});
