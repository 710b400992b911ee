/** Page ranges of documents: the selected pages, and the message if there are none. */
import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import loadImages from '../../../../components/detectors/document-images/detector.ts';
import loadText from '../../../../components/detectors/document-text/detector.ts';
import { inDocument } from '../../../../components/host/document.ts';
import loadLanguage from '../../../../components/detectors/language/detector.ts';
import type { Detector, GenericSource } from '../../../../components/sdk/detector.ts';
import { pageRanges } from '../../../../domain/frames/segments.ts';
import type { Properties, Range } from '../../../../domain/types.ts';
import { mimeTypeOf } from '../../../../media/inspect/mime.ts';
import type { DetectWork } from '../../../../protocol/detection-work.ts';
import { scratchFolder } from '../../../media/support/samples.ts';
import { docx, odf, pptx, relations, xlsx } from '../../../support/media/office.ts';
import { FIRST_STREAM, pdfOf, writeLines } from '../../../support/media/pdf.ts';
import { all, jobOf } from '../../visual.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five'];
const range = (start: number, stop = start): Range => ({ start, stop });

/** Five pages each. Each page contains a word for its number. */
const DOCUMENTS = {
  PDF: pdfOf(NAMES.map((name) => ({ content: writeLines([50, 700, name]) }))),
  DOCX: docx(
    NAMES.map(
      (name, n) => `<w:p><w:r>${n > 0 ? '<w:br w:type="page"/>' : ''}<w:t>${name}</w:t></w:r></w:p>`,
    ).join(''),
  ),
  PPTX: pptx(NAMES.map((name) => `<a:p><a:r><a:t>${name}</a:t></a:r></a:p>`)),
  XLSX: xlsx(NAMES.map((name) => `<row><c t="inlineStr"><is><t>${name}</t></is></c></row>`)),
  ODP: odf(
    'presentation',
    NAMES.map((name) => `<draw:page draw:master-page-name="M"><text:p>${name}</text:p></draw:page>`).join(''),
  ),
};

describe('Page ranges of a document', () => {
  let folder = '';
  let warnings: string[] = [];
  before(() => {
    folder = scratchFolder();
  });
  beforeEach(() => {
    warnings = [];
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function sourceOf(content: string | Uint8Array, pages?: readonly Range[]): Promise<GenericSource> {
    const outputFolder = await mkdtemp(join(folder, 'out-'));
    const path = join(outputFolder, 'document');
    await writeFile(path, content);
    return { path, mimeType: await mimeTypeOf(path), outputFolder, pages };
  }
  async function jobFor(component: string, properties?: Properties) {
    return {
      ...(await jobOf(component, properties)),
      warn: (message: string) => void warnings.push(message),
    };
  }
  async function wordsIn(content: string | Uint8Array, pages?: readonly Range[]): Promise<string[]> {
    const detector = await loadText();
    const parts = await all(detector.generic!(await sourceOf(content, pages), await jobFor('document-text')));
    return parts.map(({ properties }) => `${properties['PAGE_NUM']} ${properties['TEXT']}`);
  }

  it('count from 1, are joined where they touch, and leave out what no page can have', () => {
    expect(pageRanges([])).to.equal(undefined);
    expect(pageRanges([range(4, 6), range(0, 2), range(3)])).to.deep.equal([range(1, 6)]);
    expect(pageRanges([range(0)])).to.deep.equal([]);
  });

  for (const [kind, content] of Object.entries(DOCUMENTS)) {
    it(`give the text of their pages of ${kind} alone`, async () => {
      expect(await wordsIn(content)).to.deep.equal(NAMES.map((name, n) => `${n + 1} ${name}`));
      expect(await wordsIn(content, [range(2, 3), range(5, 99)])).to.deep.equal([
        '2 two',
        '3 three',
        '5 five',
      ]);
      expect(await wordsIn(content, [range(4)])).to.deep.equal(['4 four']);
      expect(warnings).to.deep.equal([]);
    });

    it(`that lie outside of ${kind} give nothing but a warning`, async () => {
      expect(await wordsIn(content, [range(6, 9)])).to.deep.equal([]);
      expect(await wordsIn(content, [])).to.deep.equal([]);
      const said =
        'No page of the document is processed: it has 5 pages, and its frameRanges name others. Count pages from 1.';
      expect(warnings[0]).to.equal(said);
      expect(warnings[1]).to.match(/^No page of the document is processed: .* Count pages from 1\.$/);
    });
  }

  it('take a text for one page', async () => {
    expect(await wordsIn('one\n\ntwo', [range(1, 4)])).to.deep.equal(['1 one', '1 two']);
    expect(warnings).to.deep.equal([]);
    expect(await wordsIn('one', [range(2)])).to.deep.equal([]);
    const language = await loadLanguage();
    const text = 'Where is the library?';
    const findPages = async (pages: readonly Range[]) =>
      all(language.generic!(await sourceOf(text, pages), await jobFor('language')));
    expect(await findPages([range(1)])).to.have.length(1);
    expect(await findPages([range(2)])).to.have.length(0);
    const said =
      'No page of the document is processed: it has 1 page, and its frameRanges name others. Count pages from 1.';
    expect(warnings).to.deep.equal([said, said]);
  });

  describe('for pictures', () => {
    async function pagesOf(content: Uint8Array, pages: readonly Range[], properties: Properties) {
      const detector = await loadImages();
      const source = await sourceOf(content, pages);
      const parts = await all(detector.generic!(source, await jobFor('document-images', properties)));
      return parts.map(({ properties: { PAGE_NUM, RENDERED_PAGE } }) => [PAGE_NUM, RENDERED_PAGE]);
    }

    it('take those of their pages of PDF, and render no others', async () => {
      const pixels = deflateSync(Buffer.alloc(40 * 30 * 3, 90));
      const head =
        '/Subtype /Image /Width 40 /Height 30 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode';
      const page = { content: 'q 100 0 0 100 50 600 cm /A Do Q', pictures: { A: FIRST_STREAM } };
      const content = pdfOf([page, page, { content: '' }, page], [{ head, data: pixels }]);
      const pages = [range(2, 3)];
      expect(await pagesOf(content, pages, { RENDER_PAGES: 'FALSE' })).to.deep.equal([['2', undefined]]);
      const properties = { RENDER_PAGES: 'TRUE', RENDER_RESOLUTION: '36', MAX_RENDERED_PAGES: '2' };
      expect(await pagesOf(content, pages, properties)).to.deep.equal([
        ['2', undefined],
        ['2', 'TRUE'],
        ['3', 'TRUE'],
      ]);
      expect(warnings).to.deep.equal([]);
      expect(await pagesOf(content, [range(5)], properties)).to.deep.equal([]);
      expect(warnings).to.have.length(1);
    });

    it('take those of their slides of PPTX', async () => {
      const svg = Buffer.from('<svg/>');
      const slide = '<a:blip r:embed="i"/>';
      const listed = relations(['i', 'image', '../media/a.svg']);
      const parts = {
        'ppt/media/a.svg': svg,
        ...Object.fromEntries([1, 2, 3].map((n) => [`ppt/slides/_rels/slide${n}.xml.rels`, listed])),
      };
      await pagesOf(pptx([slide, slide, slide], parts), [range(2)], {});
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/1 picture in EMF, WMF, SVG or SVM.*\(Pages: 2\)$/);
    });
  });

  it('are told to a detector, with a warning when it does not ask for them', async () => {
    const seen: (readonly Range[] | undefined)[] = [];
    const detector = (asks: boolean): Detector => ({
      async *generic(source) {
        if (asks) seen.push(source.pages);
        yield { confidence: -1, properties: { TEXT: 'found' } };
      },
    });
    const { path, mimeType } = await sourceOf('text');
    const pages = [range(2, 3)];
    for (const [asks, given] of [
      [true, pages],
      [false, pages],
      [false, undefined],
    ] as const) {
      const medium = {
        ...{ mediaId: 1, mediaType: 'UNKNOWN' as const, path, mimeType },
        ...{ length: -1, metadata: {}, fps: 0, inspected: true },
      };
      const work: DetectWork = {
        ...{ medium, trackType: 'TEXT', properties: {}, range: range(0, -1), contextFrames: 0 },
        ...{ outputFolder: join(folder, 'made'), ...(given && { pages: given }) },
      };
      const found = inDocument(detector(asks), work, await jobFor('document-text'), () => {});
      expect(await all(found)).to.have.length(1);
    }
    expect(seen).to.deep.equal([pages]);
    expect(warnings).to.deep.equal([
      'The frameRanges have no effect: this component processes all pages of a document.',
    ]);
  });
});
