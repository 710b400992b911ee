/**
 * Derivative media processed by the text detector, and crashes of the server during their inspection.
 * `actors/batch-job` simulates random restarts.
 */
import { basename } from 'node:path';
import { expect } from 'chai';
import type { DeathWish } from '../../support/processes/server-main.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { actionsIn, childrenOf, content, filesOf, textsOf } from '../results.ts';

const PDF = sampleUri('text-embedded-and-images.pdf');
const PICTURES = 'DOCUMENT IMAGES DETECTION PIPELINE';

describe('Derivative media of a pipeline that reads all text', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('are read as pictures, and their document as a document', async () => {
    const [takeOut, ofDocuments] = ['DOCUMENT IMAGES', 'DOCUMENT TEXT'].map(
      (algorithm) => `${algorithm} DETECTION SOURCE MEDIA ONLY ACTION`,
    ) as [string, string];
    const ofPictures = 'TEXT DETECTION DERIVATIVE MEDIA ONLY ACTION';
    const document = await service.run({
      media: [PDF],
      pipelineName: 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE',
      jobProperties: { FEED_FORWARD_TYPE: 'REGION' },
    });
    const [parent, first, second, ...more] = document.media;
    expect(more).to.deep.equal([]);
    expect(textsOf(parent!, ofDocuments)).to.have.length(4);
    expect(textsOf(first!, ofPictures).join('\n')).to.include('UNIVERSAL DECLARATION OF HUMAN RIGHTS');
    expect(textsOf(second!, ofPictures).join('\n')).to.include('555-123-4567');
    expect(document.media.map(actionsIn)).to.deep.equal([
      { MEDIA: [takeOut], TEXT: [ofDocuments] },
      { TEXT: [ofPictures] },
      { TEXT: [ofPictures] },
    ]);
  });
});

describe('Derivative media of a server that is killed while it inspects them', () => {
  let service: Service;
  let reference: object;
  before(async () => {
    service = await Service.start();
    reference = content(await service.run({ media: [PDF], pipelineName: PICTURES }));
  });

  after(() => service.close());

  // Commits: accepted, inspected, extracted, finished with two media, each of these inspected, end with the
  // document.
  for (const wish of [
    { at: 4, when: 'before' },
    { at: 6, when: 'before' },
  ] satisfies DeathWish[])
    it(`are inspected after the restart, once each, when it dies right ${wish.when} commit ${wish.at}`, async () => {
      await service.dieAt(wish);
      const id = await service.submit({ media: [PDF], pipelineName: PICTURES });
      expect(await service.waitForExit()).to.equal('SIGKILL');
      await service.start();
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const document = await service.document(id);
      expect(content(document)).to.deep.equal(reference);
      const named = childrenOf(document, document.media[0]).map(({ path }) => basename(path));
      const listKept = () => filesOf(service, 'derivative-media', id);
      const files = await until('only files of the document are left', listKept, ({ length }) => length <= 2);
      expect(files.map((file) => basename(file))).to.deep.equal(named);
    });
});
