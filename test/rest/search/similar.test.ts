/**
 * Similar tracks and near duplicates (an extension): real pictures, a network that computes vectors, and
 * access rules.
 */
import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { thumbnailModel } from '../../support/media/onnx-model.ts';
import { until } from '../../support/until.ts';

const PICTURES = ['coffee.png', 'chelsea.png', 'collie.jpg', 'rocket.jpg', 'red-car.jpg', 'camera.png'];
const MODEL = 'thumbnail';

interface Hit {
  readonly jobId: string;
  readonly mediaId: number;
  readonly mediaUri: string;
  readonly trackId: string;
  readonly vectorModel: string | null;
  readonly similarity: number;
  readonly distance: number;
}
interface Answer {
  readonly like: Hit | null;
  readonly model: string;
  readonly hits: readonly Hit[];
  readonly searched: number;
  readonly groups: readonly { readonly hits: readonly Hit[] }[];
  readonly code: string;
  readonly message: string;
}

describe('POST /rest/search/similar', () => {
  let service: Service;
  let document: DetectionDocument;
  let model: string;
  before(async () => {
    service = await Service.openShared();
    mkdirSync(join(service.dataDir, 'models'), { recursive: true });
    model = join(service.dataDir, 'models', `${MODEL}.onnx`);
    writeFileSync(model, thumbnailModel(6));
    // Half the size and compressed again, as a typical copy of a picture.
    const copy = join(service.mediaDir, 'copy.jpg');
    await sharp(fileURLToPath(sampleUri('coffee.png')))
      .resize(300)
      .jpeg({ quality: 60 })
      .toFile(copy);
    document = await service.run({
      media: [...PICTURES.map(sampleUri), pathToFileURL(copy).href],
      pipelineDefinition: {
        pipeline: ['BOTH'],
        tasks: [{ name: 'BOTH', actions: ['VECTORS', 'MEASURES'] }],
        actions: [
          { name: 'VECTORS', algorithm: 'ONNX', properties: [{ name: 'MODEL_NAME', value: MODEL }] },
          { name: 'MEASURES', algorithm: 'IMAGE PROPERTIES' },
        ],
      },
    });
    await until(
      'the search has the job',
      async () => (await hitsOf(`job=${document.jobId}&type=CLASS`)).length === PICTURES.length + 1,
    );
  });
  after(async () => {
    rmSync(model);
    await service.close();
  });

  const hitsOf = async (query: string) =>
    ((await service.ask('GET', `/rest/search?limit=500&${query}`)).body as Answer).hits;
  const ask = async (body: object) => {
    const { status, body: answer } = await service.ask('POST', '/rest/search/similar', body);
    return { status, ...(answer as Answer) };
  };
  const trackOf = (medium: number, type = 'CLASS') => {
    const { mediaId } = document.media[medium]!;
    const [track] = tracksOf(document.media[medium], type);
    return { jobId: document.jobId, mediaId, trackId: track!.id };
  };
  const filter = () => ({ job: document.jobId });

  it('finds the other copy of a picture first, with all that the search tells of a hit', async () => {
    const { status, hits, searched, model: of } = await ask({ ...trackOf(0), filter: filter() });
    expect([status, searched]).to.deep.equal([200, 1]);
    expect(of).to.match(/^thumbnail@[0-9a-f]{12}$/);
    expect(hits).to.have.length(PICTURES.length);
    expect(hits[0]!.mediaUri).to.match(/copy\.jpg$/);
    expect(hits[0]!.similarity).to.be.greaterThan(0.95);
    const similarities = hits.map(({ similarity }) => similarity);
    expect(similarities).to.deep.equal(similarities.toSorted((a, b) => b - a));
    expect(similarities[1]).to.be.lessThan(0.9);
    const [found] = await hitsOf(`job=${document.jobId}&type=CLASS&medium=copy.jpg`);
    const { similarity: _, ...hit } = hits[0]!;
    expect(hit).to.deep.equal(found);
    expect(found!.vectorModel).to.equal(of);
  });

  it('finds by a vector, as numbers or as FEATURE has it, within a filter and a limit', async () => {
    const { FEATURE = '', FEATURE_MODEL } = tracksOf(document.media[0], 'CLASS')[0]!.trackProperties;
    const bytes = Buffer.from(FEATURE, 'base64');
    const numbers = Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(4 * n));
    for (const vector of [FEATURE, numbers]) {
      const { hits } = await ask({ vector, model: FEATURE_MODEL, filter: filter(), limit: 2 });
      expect(hits.map(({ mediaUri }) => mediaUri.split('/').at(-1))).to.deep.equal([
        'coffee.png',
        'copy.jpg',
      ]);
      expect(hits[0]!.similarity).to.be.closeTo(1, 1e-5);
    }
    const { hits } = await ask({ ...trackOf(0), filter: { ...filter(), medium: 'collie' } });
    expect(hits.map(({ mediaId }) => mediaId)).to.deep.equal([document.media[2]!.mediaId]);
  });

  it('says by a stable code why there is nothing to compare', async () => {
    const { FEATURE = '', FEATURE_MODEL: of } = tracksOf(document.media[0], 'CLASS')[0]!.trackProperties;
    const nan = Buffer.from(FEATURE, 'base64');
    nan.writeFloatLE(NaN, 0);
    for (const [body, code, status] of [
      [{ ...trackOf(0), jobId: 'test-host-987654' }, 'job-not-found', 404],
      [{ ...trackOf(0), trackId: 'unknown' }, 'track-not-found', 404],
      [trackOf(0, 'PICTURE'), 'track-without-vector', 409],
      [{ vector: [1, 2, 3], model: of }, 'vector-dimension', 400],
      [{ vector: nan.toString('base64'), model: of }, 'vector-invalid', 400],
      [{ vector: [0, 0, 0], model: of }, 'vector-invalid', 400],
      [{ vector: [1, 2, 3], model: 'unknown' }, 'vectors-not-found', 404],
      [{ ...trackOf(0), vector: [1, 2], model: of }, 'invalid-body', 400],
      [{ jobId: document.jobId }, 'invalid-body', 400],
      [{ ...trackOf(0), filter: { text: '*' } }, 'invalid-body', 400],
      [{ ...trackOf(0), filter: { text: 'x'.repeat(100_000) } }, 'invalid-body', 400],
      [{ text: 'x'.repeat(100_000) }, 'invalid-body', 400],
    ] as const) {
      const answer = await ask(body);
      expect([answer.code, answer.status, answer.message]).to.deep.equal([code, status, answer.message]);
    }
  });

  it('makes the vector of a picture, or of a box of it, by a job that is deleted', async () => {
    const mediaUri = pathToFileURL(join(service.mediaDir, 'both.png')).href;
    const [left, right] = ['collie.jpg', 'coffee.png'].map((name) =>
      sharp(fileURLToPath(sampleUri(name)))
        .resize(200, 200, { fit: 'fill' })
        .png()
        .toBuffer(),
    );
    await sharp({ create: { width: 400, height: 200, channels: 3, background: 'black' } })
      .composite([
        { input: await left!, left: 0, top: 0 },
        { input: await right!, left: 200, top: 0 },
      ])
      .png()
      .toFile(fileURLToPath(mediaUri));
    const box = { x: 200, y: 0, width: 200, height: 200 };
    const { status, hits, like, model: of } = await ask({ mediaUri, box, filter: filter() });
    expect([status, like]).to.deep.equal([200, null]);
    const nearest = hits.slice(0, 2).map(({ mediaUri: uri }) => uri.split('/').at(-1));
    expect(nearest).to.have.members(['coffee.png', 'copy.jpg']);
    expect(hits[0]!.similarity).to.be.greaterThan(0.95);
    const whole = await ask({ mediaUri: document.media[2]!.path, model: of, filter: filter(), limit: 1 });
    expect([whole.hits[0]!.mediaId, whole.hits[0]!.similarity > 0.999]).to.deep.equal([
      document.media[2]!.mediaId,
      true,
    ]);
    const { body: listed } = await service.ask('GET', '/rest/jobs?label=similar-search');
    expect((listed as { jobs: readonly object[] }).jobs).to.deep.equal([]);
  });

  it('lists the models that can make a vector of a picture', async () => {
    const { status, body } = await service.ask('GET', '/rest/search/models');
    const { models } = body as { models: readonly { model: string; algorithm: string }[] };
    expect(status).to.equal(200);
    expect(models.filter(({ model: name }) => name.startsWith(`${MODEL}@`))).to.have.length(1);
    expect(models.find(({ model: name }) => name.startsWith(`${MODEL}@`))?.algorithm).to.equal('ONNX');
  });

  it('says why there is no vector of a picture', async () => {
    for (const [body, code, status] of [
      [{ mediaUri: 'file:///etc/passwd' }, 'media-outside-roots', 400],
      [{ mediaUri: sampleUri('collie.jpg'), model: 'unknown' }, 'vectors-not-found', 404],
      [
        { mediaUri: sampleUri('collie.jpg'), box: { x: 9_999, y: 0, width: 1, height: 1 } },
        'picture-without-vector',
        409,
      ],
      [{ mediaUri: sampleUri('collie.jpg'), box: { x: 1, y: 0, width: 0, height: 1 } }, 'invalid-body', 400],
      [{ mediaUri: sampleUri('collie.jpg'), ...trackOf(0) }, 'invalid-body', 400],
      [{ box: { x: 1, y: 0, width: 5, height: 1 } }, 'invalid-body', 400],
    ] as const) {
      const answer = await ask(body);
      expect([answer.code, answer.status], answer.message).to.deep.equal([code, status]);
    }
  });

  it('groups the copies of a picture as near duplicates', async () => {
    const { status, body } = await service.ask('GET', `/rest/search/duplicates?job=${document.jobId}`);
    expect(status).to.equal(200);
    const { groups } = body as Answer;
    expect(groups.map(({ hits }) => hits.map(({ mediaUri }) => mediaUri.split('/').at(-1)))).to.deep.equal([
      ['copy.jpg', 'coffee.png'],
    ]);
    expect(groups[0]!.hits.map(({ distance }) => distance)[1]).to.be.at.most(7);
  });

  it('finds nothing of a job that was deleted', async () => {
    const picture = join(service.mediaDir, 'again.png');
    writeFileSync(picture, readFileSync(fileURLToPath(sampleUri('coffee.png'))));
    const { jobId } = await service.run({
      media: [pathToFileURL(picture).href],
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: MODEL },
    });
    const found = async () =>
      (await ask({ ...trackOf(0), filter: { medium: 'again.png' } })).hits.map((hit) => hit.jobId);
    await until('the copy is found', found, (ids) => ids.join() === jobId);
    expect((await service.ask('DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
    await until('it is found no more', found, (ids) => ids.length === 0);
  });
});
