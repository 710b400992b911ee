/** Search for pictures by words (an extension), with a small pair of image and text models in real jobs. */
import { expect } from 'chai';
import { join } from 'node:path';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { Service } from '../../support/processes/service.ts';
import { thumbnailModel } from '../../support/media/onnx-model.ts';
import { crashingTextModel, writeModelPair } from '../../support/media/model-pair.ts';
import { until } from '../../support/until.ts';

const COLOURS = ['red', 'green', 'blue'];

interface Answer {
  readonly like: object | null;
  readonly model: string;
  readonly hits: readonly { readonly mediaUri: string; readonly similarity: number }[];
  readonly code: string;
  readonly message: string;
}

describe('POST /rest/search/similar with words', () => {
  let service: Service;
  let models: string;
  before(async () => {
    service = await Service.openShared();
    models = join(service.dataDir, 'models');
    mkdirSync(models, { recursive: true });
    writeModelPair(models);
    for (const [n, background] of ['#e01010', '#10e010', '#1010e0'].entries())
      await sharp({ create: { width: 16, height: 16, channels: 3, background } })
        .png()
        .toFile(join(service.mediaDir, `${COLOURS[n]!}.png`));
  });
  after(async () => {
    rmSync(join(models, 'colours'), { recursive: true });
    await service.close();
  });

  const ask = async (body: object) => {
    const { status, body: answer } = await service.ask('POST', '/rest/search/similar', body);
    return { status, ...(answer as Answer) };
  };
  async function analyze(model: string): Promise<string> {
    const media = COLOURS.map((colour) => pathToFileURL(join(service.mediaDir, `${colour}.png`)).href);
    const pipeline = { pipelineName: 'ONNX DETECTION PIPELINE', jobProperties: { MODEL_NAME: model } };
    const { jobId } = await service.run({ media, ...pipeline });
    const count = async () => {
      const { body } = await service.ask('GET', `/rest/search?job=${jobId}&type=CLASS`);
      return (body as Answer).hits.length;
    };
    await until('the search has the job', count, (found) => found === COLOURS.length);
    return jobId;
  }

  it('finds the pictures that the words fit best, by a job that is deleted', async () => {
    const job = await analyze('colours/image');
    for (const colour of COLOURS) {
      const { status, like, model, hits } = await ask({ text: `something ${colour}`, filter: { job } });
      expect([status, like]).to.deep.equal([200, null]);
      expect(model).to.match(/^colours\/image@[0-9a-f]{12}$/);
      expect(hits).to.have.length(COLOURS.length);
      expect(hits[0]!.mediaUri).to.match(new RegExp(`${colour}\\.png$`));
      expect(hits[0]!.similarity).to.be.greaterThan(hits[1]!.similarity + 0.5);
    }
    const { body } = await service.ask('GET', '/rest/jobs?label=similar-search');
    expect((body as { jobs: readonly object[] }).jobs).to.deep.equal([]);
  });

  it('says that a text half ended the process that tried it, and goes on with a good one', async function () {
    if (process.arch !== 'x64') this.skip();
    await analyze('colours/image');
    writeFileSync(join(models, 'colours', 'text.onnx'), crashingTextModel());
    const crashed = await ask({ text: 'red' });
    expect([crashed.status, crashed.code]).to.deep.equal([409, 'picture-without-vector']);
    expect(crashed.message).to.contain('The model colours/text ended the process that tried it (SIGFPE');
    writeModelPair(models);
    expect((await ask({ text: 'red' })).status).to.equal(200);
  });

  it('says what is missing when the model has no text half, or there is no such model', async () => {
    await analyze('colours/image');
    const { model } = await ask({ text: 'red' });
    writeFileSync(join(models, 'colours', 'alone.onnx'), thumbnailModel(2));
    await analyze('colours/alone');
    const alone = await ask({ text: 'red' });
    expect([alone.status, alone.code]).to.deep.equal([409, 'picture-without-vector']);
    expect(alone.message).to.contain('The model made no vector of the words.');
    expect(alone.message).to.contain('Name it by TEXT_MODEL_NAME in colours/alone.json');
    expect((await ask({ text: 'red', model })).status).to.equal(200);
    expect((await ask({ text: 'red', model: 'unknown' })).code).to.equal('vectors-not-found');
    for (const body of [
      { text: '  ' },
      { text: 'red', mediaUri: 'file:///a.png' },
      { text: 'a'.repeat(501) },
    ])
      expect((await ask(body)).code).to.equal('invalid-body');
  });
});
