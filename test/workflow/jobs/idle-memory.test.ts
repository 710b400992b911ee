/** Component processes free the memory of large pictures when they are idle. */
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { residentMemory } from '../../../processes/resident-memory.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { uriOf } from '../results.ts';

const MB = 1e6;
/** A picture of 60 megapixels needs 180 MB. */
const [WIDTH, HEIGHT] = [10_000, 6_000];
const PICTURE_MB = (WIDTH * HEIGHT * 3) / MB;

describe('Component processes without work', function () {
  this.timeout(120_000);
  let service: Service;
  before(async () => {
    service = new Service();
    await service.start();
    await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: 'grey' } })
      .png({ compressionLevel: 1 })
      .toFile(join(service.mediaDir, 'large.png'));
  });
  after(() => service.close());

  for (const pipelineName of ['FACE DETECTION PIPELINE', 'OBJECT DETECTION PIPELINE'])
    it(`keep no large picture of the ${pipelineName}`, async () => {
      const memory = () =>
        new Map(service.componentPids().map((pid) => [pid, (residentMemory(pid) ?? 0) / MB] as const));
      await service.run({ media: [sampleUri('astronaut.png')], pipelineName });
      const before = memory();
      const growthOf = () =>
        [...memory()]
          .map(([pid, now]) => now - (before.get(pid) ?? now))
          .filter((more) => more > PICTURE_MB / 2);
      const { status } = await service.run({ media: [uriOf(service, 'large.png')], pipelineName });
      expect([status, before.size > 1]).to.deep.equal(['COMPLETE', true]);
      // An idle component claims again only after 25 s, when garbage might be collected anyway. The memory
      // must be free before that.
      await until('all of it is given back', growthOf, (more) => more.length === 0, { withinMs: 5_000 });
    });
});
