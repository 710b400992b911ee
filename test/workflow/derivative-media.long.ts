/** Servers that die while they inspect derivative media; lives of jobs with restarts are drawn at random in `actors/batch-job`. */
import { basename } from 'node:path';
import { expect } from 'chai';
import type { DeathWish } from '../support/server-main.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { childrenOf, content, filesOf } from './results.ts';

const PDF = sampleUri('text-embedded-and-images.pdf');
const PICTURES = 'DOCUMENT IMAGES DETECTION PIPELINE';

describe('Derivative media of a server that is killed while it inspects them', () => {
  let service: Service;
  let reference: object;
  before(async () => {
    service = await Service.started();
    reference = content(await service.run({ media: [PDF], pipelineName: PICTURES }));
  });

  after(() => service.close());

  // Commits: accepted, prepared, taken out, finished with two media, each of these prepared, the document with the end.
  for (const wish of [
    { at: 4, when: 'before' },
    { at: 6, when: 'before' },
  ] satisfies DeathWish[])
    it(`are inspected after the restart, once each, when it dies right ${wish.when} commit ${wish.at}`, async () => {
      await service.dieAt(wish);
      const id = await service.submit({ media: [PDF], pipelineName: PICTURES });
      expect(await service.ended()).to.equal('SIGKILL');
      await service.start();
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const document = await service.document(id);
      expect(content(document)).to.deep.equal(reference);
      const named = childrenOf(document, document.media[0]).map(({ path }) => basename(path));
      const kept = () => filesOf(service, 'derivative-media', id);
      const files = await until('only files of the document are left', kept, ({ length }) => length <= 2);
      expect(files.map((file) => basename(file))).to.deep.equal(named);
    });
});
