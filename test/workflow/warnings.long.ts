/**
 * Servers that crash during a job with warnings, and warnings of a real detector.
 * `components/detectors/documents` tests the detector itself.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sample } from '../components/models/recorded-media.ts';
import { docx, emf, relations } from '../support/media/office.ts';
import { areasOf, pdfOf } from '../support/media/pdf.ts';
import { Service } from '../support/processes/service.ts';
import { childrenOf, textsOf, uriOf } from './results.ts';
import { toldOnceBy, WARNED, warningsIn } from './warnings-suite.ts';

toldOnceBy([
  { at: 3, when: 'before' },
  { at: 4, when: 'after' },
  { at: 6, when: 'before' },
  { at: 6, when: 'after' },
]);

describe('Warnings of the component that takes pictures out of documents', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  function writeFile(name: string, bytes: Uint8Array): string {
    writeFileSync(join(service.mediaDir, name), bytes);
    return uriOf(service, name);
  }

  const READ_ALL = 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE';

  it('name drawings that it passes over in a DOCX, whose text is read all the same', async () => {
    const body = '<w:p><w:r><w:t>Plan of the house</w:t><a:blip r:embed="i"/></w:r></w:p>';
    const parts = {
      'word/_rels/document.xml.rels': relations(['i', 'image', 'media/image1.emf']),
      'word/media/image1.emf': emf(),
    };
    const uri = writeFile('plan.docx', docx(body, parts));
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
    const uri = writeFile('drawn.pdf', pdfOf([{ content: drawn }, { content: drawn }, { content: drawn }]));
    const document = await service.run({
      media: [uri],
      pipelineName: 'DOCUMENT IMAGES DETECTION PIPELINE',
      algorithmProperties: { 'DOCUMENT IMAGES': { MAX_RENDERED_PAGES: '1' } },
    });
    expect(document.status).to.equal(WARNED);
    expect(warningsIn(document)).to.have.length(1);
    expect(warningsIn(document)[0]).to.match(
      /^0 DOCUMENT IMAGES OTHER: .*2 pages, because MAX_RENDERED_PAGES allows 1\..*\(Pages: 2, 3\)$/,
    );
    expect(childrenOf(document, document.media[0])).to.have.length(1);
  });
});
