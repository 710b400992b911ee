/** What detectors could not look at, they say as warnings of the medium. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sample } from '../components/recorded.ts';
import { docx, emf, relations } from '../support/office.ts';
import { areasOf, pdfOf } from '../support/pdf.ts';
import { Service } from '../support/service.ts';
import { childrenOf, textsOf, uriOf } from './results.ts';
import { TOLD, WARNED, WARNING, warningsIn } from './warnings-suite.ts';
import { annotates, finds, pipelineOf, run, video } from './support.ts';

describe('Warnings of a component', () => {
  let service: Service;
  let film: string;
  before(async () => {
    service = await Service.shared();
    film = video(service, 'film.avi', { frames: 60 });
  });
  after(() => service.close());

  function written(name: string, bytes: Uint8Array): string {
    writeFileSync(join(service.mediaDir, name), bytes);
    return uriOf(service, name);
  }

  describe('of a video in several pieces', () => {
    it('are told once, with the algorithm as their source, and fail nothing', async () => {
      const document = await run(service, film, WARNING, WARNED);
      expect(document.media[0]?.status).to.equal('COMPLETE');
      expect(document.errors).to.deep.equal([]);
      expect(warningsIn(document)).to.deep.equal(TOLD);
    });

    it('are told of a step that annotates, too', async () => {
      const noting = { algorithm: 'STAGED', properties: { ...annotates().properties, WARN: 'Not read.' } };
      const document = await run(service, film, pipelineOf(finds([{ frames: [1, 2] }]), noting), WARNED);
      expect(warningsIn(document)).to.deep.equal(['0 STAGED OTHER: Not read.']);
    });
  });

  describe('that takes pictures out of documents', () => {
    const READ_ALL = 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE';

    it('name drawings that it passes over in a DOCX, whose text is read all the same', async () => {
      const body = '<w:p><w:r><w:t>Plan of the house</w:t><a:blip r:embed="i"/></w:r></w:p>';
      const parts = {
        'word/_rels/document.xml.rels': relations(['i', 'image', 'media/image1.emf']),
        'word/media/image1.emf': emf(),
      };
      const uri = written('plan.docx', docx(body, parts));
      const document = await service.run({ media: [uri], pipelineName: READ_ALL });
      expect(document.status).to.equal(WARNED);
      expect(textsOf(document.media[0]!, 'DOCUMENT TEXT DETECTION SOURCE MEDIA ONLY ACTION')).to.deep.equal([
        'Plan of the house',
      ]);
      const [told, ...more] = warningsIn(document);
      expect(more).to.deep.equal([]);
      expect(told).to.match(
        /^0 DOCUMENT IMAGES OTHER: .*1 picture in EMF, WMF, SVG or SVM.*RENDER_PAGES=TRUE.*\(Pages: 1\)$/,
      );
    });

    it('name pages of a PDF beyond MAX_RENDERED_PAGES', async () => {
      const drawn = await areasOf(sample('gen_text.png'));
      const uri = written('drawn.pdf', pdfOf([{ content: drawn }, { content: drawn }, { content: drawn }]));
      const document = await service.run({
        media: [uri],
        pipelineName: 'DOCUMENT IMAGES DETECTION PIPELINE',
        algorithmProperties: { 'DOCUMENT IMAGES': { MAX_RENDERED_PAGES: '1' } },
      });
      expect(document.status).to.equal(WARNED);
      expect(warningsIn(document)).to.have.length(1);
      expect(warningsIn(document)[0]).to.match(
        /^0 DOCUMENT IMAGES OTHER: .*2 pages, for MAX_RENDERED_PAGES allows 1\..*\(Pages: 2, 3\)$/,
      );
      expect(childrenOf(document, document.media[0])).to.have.length(1);
    });
  });
});
