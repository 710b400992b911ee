/** Agents that search for similar tracks, with real pictures and a network that computes vectors. */
import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { writeModelPair } from '../support/media/model-pair.ts';
import { thumbnailModel } from '../support/media/onnx-model.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';
import { Agent } from './agent.ts';

const MODEL = 'agent-thumbnail';

story(
  'Agents that search for similar tracks',
  'The second test analyzes a picture of the first again.',
  () => {
    let service: Service;
    let agents: readonly Agent[];
    let job: string;
    before(async () => {
      service = await Service.here();
      mkdirSync(join(service.dataDir, 'models'), { recursive: true });
      writeFileSync(join(service.dataDir, 'models', `${MODEL}.onnx`), thumbnailModel(6));
      const copy = join(service.mediaDir, 'copy.jpg');
      await sharp(fileURLToPath(sampleUri('coffee.png')))
        .resize(300)
        .jpeg({ quality: 60 })
        .toFile(copy);
      agents = await Promise.all([
        Agent.overHttp(service.url, service.token),
        Agent.overTool({ DATA_DIR: service.dataDir }),
      ]);
      ({ jobId: job } = await service.run({
        media: [...['coffee.png', 'chelsea.png', 'rocket.jpg'].map(sampleUri), pathToFileURL(copy).href],
        pipelineName: 'ONNX DETECTION PIPELINE',
        jobProperties: { MODEL_NAME: MODEL },
      }));
      await until('all pictures are found', async () => (await find(agents[0]!)).text.startsWith('4 hits'));
    });
    after(async () => {
      for (const agent of agents ?? []) await agent.close();
      rmSync(join(service.dataDir, 'models'), { recursive: true });
      await service.close();
    });

    const find = (agent: Agent, more: object = {}) => agent.call('search', { job, ...more });

    it('name the track of a hit, and find its copy first', async () => {
      for (const agent of agents) {
        const { text } = await find(agent, { medium: 'copy' });
        const [, medium = '', track = ''] = /medium (\d+), frame 0, track (\S+):/.exec(text) ?? [];
        const like = { job, medium: Number(medium), track };
        const similar = await find(agent, { like });
        expect(similar.isError, similar.text).to.equal(false);
        expect(similar.text).to.match(/^3 hits, most similar first, by model ".*"\. Text in quotes/);
        expect(similar.text).to.match(/^1\. "coffee\.png": .*, similarity (0\.9\d|1\.00)$/m);
        const other = await find(agent, { like, medium: 'rocket' });
        expect(other.text).to.match(/^1 hit, .*\n1\. "rocket\.jpg"/);
      }
    });

    it('find pictures by words, or are told that the model has no text half', async () => {
      const [agent] = agents as readonly [Agent];
      const alone = await find(agent, { likeText: 'something red' });
      expect(alone.isError).to.equal(true);
      expect(alone.text).to.contain(`The model ${MODEL} has no text half`);
      const both = { likeText: 'red', like: { job, medium: 1, track: 'none' } };
      expect((await find(agent, both)).text).to.contain('Use like or likeText, not both.');
      writeModelPair(join(service.dataDir, 'models'));
      const { jobId } = await service.run({
        media: ['red-car.jpg', 'rocket.jpg'].map(sampleUri),
        pipelineName: 'ONNX DETECTION PIPELINE',
        jobProperties: { MODEL_NAME: 'colours/image' },
      });
      const red = () => agent.call('search', { job: jobId, likeText: 'something red' });
      const { text } = await until('both pictures are found', red, (found) =>
        found.text.startsWith('2 hits'),
      );
      expect(text).to.match(/^1\. "red-car\.jpg"/m);
    });

    it('are told when there is no such track', async () => {
      const { isError, text } = await find(agents[0]!, { like: { job, medium: 1, track: 'none' } });
      expect([isError, text.length > 20], text).to.deep.equal([true, true]);
    });
  },
);
