/**
 * Derivative media: media that a component extracts from another become media of the job. Pictures of a
 * document are processed like others.
 */
import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { detectionOutput } from '../../rest/conformance/detection-output.ts';
import { FIRST_STREAM, pdfOf, writeLines } from '../../support/media/pdf.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentTrack,
} from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { actionsIn, childrenOf, content, filesOf, mediumOf, pictureAt, textsOf, uriOf } from '../results.ts';

const OF_DOCUMENTS = 'DOCUMENT TEXT DETECTION SOURCE MEDIA ONLY ACTION';
const OF_PICTURES = 'LIGHT DERIVATIVE MEDIA ONLY ACTION';
const TAKE_OUT = 'DOCUMENT IMAGES DETECTION ACTION';
const PIPELINE = {
  pipeline: [
    'DOCUMENT IMAGES DETECTION TASK',
    'DOCUMENT TEXT DETECTION SOURCE MEDIA ONLY TASK',
    'PICTURES TASK',
  ],
  tasks: [{ name: 'PICTURES TASK', actions: [OF_PICTURES] }],
  actions: [
    {
      ...{ name: OF_PICTURES, algorithm: 'LIGHT' },
      properties: [{ name: 'DERIVATIVE_MEDIA_ONLY', value: 'TRUE' }],
    },
  ],
};
const MOST = 3;

describe('Derivative media', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ MAX_DERIVATIVE_MEDIA: String(MOST) });
  });
  after(() => service.close());

  const idsIn = (document: DetectionDocument) =>
    tracksOf(document.media[0], 'MEDIA').map(({ trackProperties }) =>
      Number(trackProperties['DERIVATIVE_MEDIA_ID']),
    );

  describe('of a PDF with two pictures', () => {
    const paper = 'pictures.pdf';
    /** A PDF without pictures, in the same job. */
    const plain = 'plain.pdf';
    let document: DetectionDocument;
    before(async () => {
      await writeFile(
        join(service.mediaDir, plain),
        pdfOf([{ content: writeLines([50, 700, 'Nothing but words.']) }]),
      );
      await writeFile(join(service.mediaDir, paper), withPictures('The first page.', 'The second page.'));
      const properties = { FRAME_INTERVAL: '3' };
      document = await service.run({
        media: [{ mediaUri: uriOf(service, paper), properties }, uriOf(service, plain)],
        pipelineDefinition: PIPELINE,
        jobProperties: { FEED_FORWARD_TYPE: 'REGION' },
      });
      expect(document.status).to.equal('COMPLETE');
    });
    const family = () => [document.media[0]!, ...childrenOf(document, document.media[0])];

    it('are named by tracks of type MEDIA that say on which page the picture stands', () => {
      const tracks = tracksOf(document.media[0], 'MEDIA');
      expect(tracks.map(({ trackProperties }) => trackProperties['PAGE_NUM'])).to.deep.equal(['1', '2']);
      for (const { trackProperties, exemplar } of tracks) {
        expect(exemplar.detectionProperties).to.deep.equal(trackProperties);
        expect(Object.keys(trackProperties), 'no path of a component').to.have.members([
          'PAGE_NUM',
          'DERIVATIVE_MEDIA_ID',
        ]);
      }
    });

    it('are media of their own in the document, with the medium they come from as parent', async () => {
      expect(() => detectionOutput.parse(document), 'for strict readers').not.to.throw();
      const [parent] = document.media;
      expect(parent?.parentMediaId).to.equal(-1);
      const children = childrenOf(document, parent);
      expect(children.map(({ mediaId }) => mediaId)).to.deep.equal(idsIn(document));
      expect(document.media, 'and no others').to.have.length(4);
      for (const child of children) {
        const { width, height } = await pictureAt(child.path);
        expect(child).to.include({ mediaType: 'IMAGE', mimeType: 'image/png', status: 'COMPLETE' });
        expect(child.mediaMetadata).to.deep.include({
          FRAME_WIDTH: String(width),
          FRAME_HEIGHT: String(height),
        });
        const bytes = await readFile(fileURLToPath(child.path));
        expect(child.sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
      }
    });

    it('have the properties of the medium that they were made of', () => {
      for (const medium of family()) expect(medium.mediaProperties).to.deep.equal({ FRAME_INTERVAL: '3' });
    });

    it('are processed whole, and the document itself is read: nothing of it is fed forward', () => {
      const [parent, ...pictures] = family();
      expect(textsOf(parent!, OF_DOCUMENTS).map((text) => text.trim())).to.deep.equal([
        'The first page.',
        'The second page.',
      ]);
      for (const medium of pictures) {
        const [{ exemplar }, ...more] = tracksOf(medium, 'LIGHT') as [DocumentTrack];
        expect(more).to.deep.equal([]);
        const { FRAME_WIDTH, FRAME_HEIGHT } = medium.mediaMetadata;
        expect([exemplar.width, exemplar.height].map(String)).to.deep.equal([FRAME_WIDTH, FRAME_HEIGHT]);
      }
    });

    it('have no entries for the task that made them, nor for those that did not process them', () => {
      const [parent, ...children] = family().map(actionsIn);
      expect(parent).to.deep.equal({ MEDIA: [TAKE_OUT], TEXT: [OF_DOCUMENTS] });
      expect(children).to.deep.equal([{ LIGHT: [OF_PICTURES] }, { LIGHT: [OF_PICTURES] }]);
    });

    it('need not be there: a document without pictures is read all the same', () => {
      const medium = mediumOf(document, plain);
      expect(childrenOf(document, medium)).to.deep.equal([]);
      expect(medium.output['NO TRACKS']).to.deep.equal([{ source: TAKE_OUT, algorithm: 'DOCUMENT IMAGES' }]);
      expect(textsOf(medium, OF_DOCUMENTS)).to.deep.equal(['Nothing but words.']);
    });

    // Mocha runs a nested `describe` after the tests beside it. This one deletes their job.
    describe('whose job is resubmitted', () => {
      it('are made anew, and go with the job', async () => {
        const { jobId: id } = document;
        const names = (of: DetectionDocument) =>
          childrenOf(of, of.media[0]).map(({ path }) => `${of.media[0]!.mediaId}/${basename(path)}`);
        expect(await filesOf(service, 'derivative-media', id)).to.deep.equal(names(document));
        expect((await service.resubmit(id)).status).to.equal(200);
        await service.terminal(id);
        const again = await service.document(id);
        expect(content(again)).to.deep.equal(content(document));
        expect(await filesOf(service, 'derivative-media', id)).to.deep.equal([]);
        expect(await filesOf(service, 'derivative-media', id, 2)).to.deep.equal(names(again));
        expect(idsIn(again), 'ids of the second run').to.not.have.members(idsIn(document));
        expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
        expect(await service.files('derivative-media')).to.not.include.members([`${id}.1`, `${id}.2`]);
      });
    });
  });

  it('beyond MAX_DERIVATIVE_MEDIA make only their medium fail, however many arrive at a time', async () => {
    const names = Array.from({ length: MOST + 3 }, (_, n) => `page-${n}.txt`);
    await Promise.all(names.map((name) => writeFile(join(service.mediaDir, name), name)));
    const media = names.map((name) => uriOf(service, name));
    const document = await service.run({ media, pipelineName: 'TROUBLE PIPELINE' });
    const documents = document.media.slice(0, names.length);
    const failed = documents.filter(({ status }) => status === 'ERROR');
    expect(failed, 'media that failed').to.have.length(3);
    expect(document.media.slice(names.length), 'derivative media').to.have.length(MOST);
    for (const medium of documents) {
      const fails = failed.includes(medium);
      expect(childrenOf(document, medium)).to.have.length(fails ? 0 : 1);
      expect(errorCodes(document, medium.mediaId)).to.deep.equal(fails ? ['OTHER'] : []);
    }
    const [told] = document.errors;
    expect(told?.details[0]?.message).to.include('MAX_DERIVATIVE_MEDIA');
    const listKept = () => filesOf(service, 'derivative-media', document.jobId);
    await until('files of nobody are gone', listKept, ({ length }) => length === MOST);
  });

  it('are accepted from the folder of the component, and from nowhere else, also not by a link', async () => {
    const secret = join(service.folder, 'secret.txt');
    await writeFile(secret, 'nobody may read this');
    const [outside, link] = ['outside.txt', 'link.txt'];
    for (const name of [outside, link]) await writeFile(join(service.mediaDir, name), name);
    symlinkSync(secret, join(service.folder, 'link'));
    const medium = (name: string, TROUBLE_FILE: string) => ({
      mediaUri: uriOf(service, name),
      properties: { TROUBLE_FILE },
    });
    const document = await service.run({
      media: [
        medium(outside, secret),
        medium(link, join(service.folder, 'link')),
        sampleUri('hello-world.png'),
      ],
      pipelineName: 'TROUBLE PIPELINE',
    });
    expect(document.media, 'no media were derived').to.have.length(3);
    for (const name of [outside, link]) {
      const { mediaId, status } = mediumOf(document, name);
      expect(status).to.equal('ERROR');
      expect(errorCodes(document, mediaId)).to.deep.equal(['OTHER']);
    }
    expect(mediumOf(document, 'hello-world.png').status).to.equal('COMPLETE');
    expect(JSON.stringify(document.errors)).to.include('outputFolder');
    expect(await filesOf(service, 'derivative-media', document.jobId)).to.deep.equal([]);
  });
});

/** A PDF in which each page has its own line and picture. */
function withPictures(...lines: readonly string[]): Buffer {
  const [width, height] = [96, 64];
  const pages = lines.map((line, n) => ({
    content: `${writeLines([50, 700, line])}\nq 96 0 0 64 50 500 cm /Shown Do Q`,
    pictures: { Shown: FIRST_STREAM + n },
  }));
  const pictures = lines.map((_, n) => ({
    head: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`,
    data: Uint8Array.from({ length: width * height * 3 }, (__, at) => (at * (n + 3)) % 251),
  }));
  return pdfOf(pages, pictures);
}
