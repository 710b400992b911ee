import { expect } from 'chai';
import { numberSections } from '../../../../components/detectors/document-text/detector.ts';
import { blocks } from '../../../../components/documents/pdf/pdf-text.ts';
import { dateText, isDateFormat, numberText } from '../../../../components/documents/office/xlsx-values.ts';
import { docx, odf, pptx, relations, xlsx } from '../../../support/media/office.ts';
import { pdfOf, writeLines } from '../../../support/media/pdf.ts';
import { Reading } from './document-reading.ts';
import { sample } from '../../models/recorded-media.ts';
import { all, descriptorOf } from '../../visual.ts';

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const a = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
const t = (text: string, style = '') => `<text:p text:style-name="${style}">${text}</text:p>`;
const PAGE_BREAK = '<w:br w:type="page"/>';
const LAID_OUT = '<w:lastRenderedPageBreak/>';

describe('The DOCUMENT TEXT component', () => {
  const reading = new Reading();
  before(() => reading.open());
  after(() => reading.close());
  const read = (path: string) => reading.file(path);
  const readBytes = (content: string | Uint8Array, mimeType?: string) => reading.bytes(content, mimeType);

  describe('reads PDF', () => {
    it('by pages and blocks', async () => {
      expect(await read(sample('text-embedded-and-images.pdf'))).to.deep.equal([
        '1.1 This is a line of text on page 1.',
        '1.2 Again, a line of text on page 1.',
        '2.1 This is a line of text on page 2.',
        '3.1 This is a line of text on page 3.',
      ]);
    });

    it('with the lines of a paragraph in one section, and each column in its own', async () => {
      const left = writeLines([50, 700, 'Left one'], [50, 688, 'left two'], [50, 660, 'Apart']);
      const right = writeLines([300, 700, 'Right one'], [300, 688, 'right two'], [300, 676, 'right three']);
      expect(await readBytes(pdfOf([{ content: `${left}\n${right}` }]))).to.deep.equal([
        '1.1 Left one\nleft two',
        '1.2 Apart',
        '1.3 Right one\nright two\nright three',
      ]);
    });

    it('with paragraphs apart that stand but a little apart', async () => {
      const levels = [700, 688, 672, 656, 644, 632];
      const content = writeLines(...levels.map((level, i) => [50, level, `line ${i}`] as const));
      expect(await readBytes(pdfOf([{ content }]))).to.deep.equal([
        '1.1 line 0\nline 1',
        '1.2 line 2',
        '1.3 line 3\nline 4\nline 5',
      ]);
    });

    it('with what was filled into its forms', async () => {
      const field = '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [0 0 90 20] >>';
      const page = { content: writeLines([50, 700, 'Name:']), annotations: field };
      expect(await readBytes(pdfOf([page]))).to.deep.equal(['1.1 Name:', '1.2 Ada']);
    });

    it('whichever way its lines run', () => {
      const upwards = (x: number, y: number, str: string) => ({ str, transform: [0, 10, -10, 0, x, y] });
      expect(
        blocks([upwards(100, 50, 'one'), upwards(112, 50, 'two'), upwards(160, 50, 'apart')]),
      ).to.deep.equal(['one\ntwo', 'apart']);
    });
  });

  describe('reads DOCX', () => {
    it('by paragraphs, on the pages on which they stand', async () => {
      const texts = await read(sample('sections.docx'));
      expect(texts.map((text) => text.slice(0, 54))).to.deep.equal(
        [1, 2].flatMap((page) =>
          ['first', 'second', 'third'].map((nth, i) =>
            `${page}.${i + 1} Testing, this is the ${nth} section of page ${page}. This test will`.slice(
              0,
              54,
            ),
          ),
        ),
      );
    });

    it('counting a break that was asked for, and noted at the last layout, once', async () => {
      const found = await readBytes(
        docx(
          p('one') +
            `<w:p><w:r><w:t>still one</w:t>${PAGE_BREAK}</w:r></w:p>` +
            `<w:p><w:r>${LAID_OUT}<w:t>two</w:t></w:r></w:p>` +
            `<w:p><w:r>${LAID_OUT}<w:t>three</w:t></w:r></w:p>` +
            `<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>four</w:t>${PAGE_BREAK}<w:t>five</w:t></w:r></w:p>`,
        ),
      );
      expect(found).to.deep.equal([
        '1.1 one',
        '1.2 still one',
        '2.1 two',
        '3.1 three',
        '4.1 four',
        '5.1 five',
      ]);
    });

    it('with tabs, line breaks, footnotes and text boxes, without deleted or repeated text', async () => {
      const box = (text: string) => `<w:txbxContent>${p(text)}</w:txbxContent>`;
      const body =
        '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">a &amp; </w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:footnoteReference w:id="2"/></w:r>' +
        '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>' +
        `<w:p><w:r><mc:AlternateContent><mc:Choice>${box('boxed')}</mc:Choice><mc:Fallback>${box('boxed')}</mc:Fallback></mc:AlternateContent><w:t>around</w:t></w:r></w:p><w:p/>`;
      const parts = {
        'word/_rels/document.xml.rels': relations(['n', 'footnotes', 'footnotes.xml']),
        'word/footnotes.xml': `<w:footnotes xmlns:w="w"><w:footnote w:id="0">${p('')}</w:footnote><w:footnote w:id="2">${p('a note')}</w:footnote></w:footnotes>`,
      };
      expect(await readBytes(docx(body, parts))).to.deep.equal([
        '1.1 a & \tb\nc',
        '1.2 a note',
        '1.3 boxed',
        '1.4 around',
      ]);
    });
  });

  it('reads PPTX slide by slide in the order of the show, with the notes', async () => {
    const field = '<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>';
    const file = pptx([`<p:sp>${a('First')}${a('point')}${field}</p:sp>`, `<p:sp>${a('Second')}</p:sp>`], {
      'ppt/slides/_rels/slide1.xml.rels': relations(['n', 'notesSlide', '../notesSlides/notes.xml']),
      'ppt/notesSlides/notes.xml': `<p:notes xmlns:p="p" xmlns:a="a">${a('Say hello')}</p:notes>`,
      'ppt/_rels/presentation.xml.rels': relations(
        ['s1', 'slide', 'slides/slide2.xml'],
        ['s2', 'slide', 'slides/slide1.xml'],
      ),
    });
    expect(await readBytes(file)).to.deep.equal(['1.1 Second', '2.1 First', '2.2 point', '2.3 Say hello']);
  });

  describe('reads XLSX', () => {
    it('sheet by sheet and row by row', async () => {
      expect(await read(sample('sheets.xlsx'))).to.deep.equal([
        '1.1 Test',
        '1.2 1\t2',
        '1.3 3\t4',
        '1.4 5\t6',
        '2.1 Test 2',
        '2.2 7\t10',
        '2.3 8\t11',
        '2.4 9\t12',
      ]);
    });

    it('with what cells show: shared texts, dates, truth values, numbers', async () => {
      const row = (...cells: readonly string[]) => `<x:row>${cells.join('')}</x:row>`;
      const cell = (type: string, style: number, value: string) =>
        `<x:c t="${type}" s="${style}"><x:v>${value}</x:v></x:c>`;
      const rows =
        row(cell('s', 0, '0'), cell('s', 0, '1')) +
        row('<x:c t="inlineStr"><x:is><x:t>Ada</x:t></x:is></x:c>', '<x:c s="1"/>', cell('n', 1, '45292')) +
        row(cell('n', 2, '0.30000000000000004'), cell('b', 0, '1'), cell('str', 0, 'joined')) +
        row(cell('n', 3, '45292.75'), cell('n', 4, '0.5')) +
        row();
      expect(await readBytes(xlsx([rows]))).to.deep.equal([
        '1.1 name\tborn on',
        '1.2 Ada\t2024-01-01',
        '1.3 0.3\tTRUE\tjoined',
        '1.4 2024-01-01 18:00:00\t12:00:00',
      ]);
    });

    it('knowing dates as workbooks count them', () => {
      expect(['1', '59', '61', '2958465'].map((day) => dateText(day, false))).to.deep.equal([
        '1900-01-01',
        '1900-02-28',
        '1900-03-01',
        '9999-12-31',
      ]);
      expect(dateText('0', true)).to.equal('1904-01-01');
      expect(['-1', '2958466', 'x'].map((value) => dateText(value, false))).to.deep.equal([
        '-1',
        '2958466',
        'x',
      ]);
      const formats = ['General', '0.00', '[Red]0', '"days" 0', '[h]:mm', '@'];
      expect(formats.filter((code) => isDateFormat(164, code))).to.deep.equal([]);
      expect(['d/m/yy', 'hh:mm', '[$-409]mmmm'].every((code) => isDateFormat(164, code))).to.equal(true);
      expect(numberText('1E+21')).to.equal('1e+21');
    });
  });

  describe('reads ODF', () => {
    it('presentations slide by slide', async () => {
      const texts = await read(sample('slides.odp'));
      expect(texts.slice(0, 3)).to.deep.equal(['1.1 Testing Text Detection', '1.2 Slide 1', '2.1 Testing:']);
      expect(texts.slice(-2)).to.deep.equal(['11.1 End', '11.2 End slide test text 01/01/2011']);
    });

    it('texts by paragraphs and page breaks', async () => {
      const style = (name: string, layout: string, properties: string) =>
        `<style:style style:name="${name}"${layout}><style:paragraph-properties ${properties}/></style:style>`;
      const styles =
        style('first', ' style:master-page-name="Standard"', '') +
        style('before', '', 'fo:break-before="page"') +
        style('after', '', 'fo:break-after="page"');
      const body =
        `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>${t('one', 'first')}` +
        t('a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d  \n e') +
        t('two', 'before') +
        t(
          'three<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>',
          'after',
        ) +
        t('<text:soft-page-break/>four') +
        `<text:soft-page-break/>${t('five<office:annotation><text:p>comment</text:p></office:annotation>')}`;
      expect(await readBytes(odf('text', body, { styles }))).to.deep.equal([
        '1.1 one',
        '1.2 a  b\tc\nd e',
        '2.1 two',
        '2.2 a note',
        '2.3 three',
        '3.1 four',
        '4.1 five',
      ]);
    });

    it('spreadsheets sheet by sheet and row by row', async () => {
      const cell = (text: string, repeated = 1) =>
        `<table:table-cell table:number-columns-repeated="${repeated}">${text === '' ? '' : t(text)}</table:table-cell>`;
      const row = (cells: string, repeated = 1) =>
        `<table:table-row table:number-rows-repeated="${repeated}">${cells}</table:table-row>`;
      const sheet = (rows: string) => `<table:table>${rows}</table:table>`;
      const body =
        sheet(
          row(cell('a') + cell('', 3) + cell('b', 2)) +
            row(cell('same'), 2) +
            row(cell('', 16_384), 1_000_000),
        ) + sheet(row(cell('c')));
      expect(await readBytes(odf('spreadsheet', body))).to.deep.equal([
        '1.1 a\tb\tb',
        '1.2 same',
        '1.3 same',
        '2.1 c',
      ]);
    });
  });

  describe('reads plain text', () => {
    const text = 'Größe: 5 €\r\nnext line\r\n\r\n \r\nSecond\n\n\n';
    const found = ['1.1 Größe: 5 €\nnext line', '1.2 Second'];

    it('in UTF-8, UTF-16 and windows-1252', async () => {
      expect(await readBytes(text), 'UTF-8').to.deep.equal(found);
      const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
      expect(await readBytes(wide), 'UTF-16, little end first').to.deep.equal(found);
      expect(await readBytes(Buffer.from(wide).swap16()), 'UTF-16, big end first').to.deep.equal(found);
      const western = Buffer.from(text.replace('€', '\x80'), 'latin1');
      expect(await readBytes(western), 'windows-1252').to.deep.equal(found);
    });

    it('of any kind as it stands', async () => {
      expect(await readBytes('{"a": [1,\n\n2]}', 'application/json')).to.deep.equal([
        '1.1 {"a": [1,',
        '1.2 2]}',
      ]);
      expect(await readBytes('a,b\n1,2\n', 'text/csv')).to.deep.equal(['1.1 a,b\n1,2']);
      expect(await readBytes('# Title\n\nword', 'text/x-web-markdown')).to.have.length(2);
      expect(await readBytes(' \n\n ', 'text/plain')).to.deep.equal([]);
    });

    it('cutting a very long section at a line end, and losing nothing', async () => {
      const line = `${'word '.repeat(1000).trim()}\n`;
      const parts = await readBytes(line.repeat(300));
      expect(parts.length).to.be.greaterThan(10);
      const whole = parts.map((part) => part.slice(part.indexOf(' ') + 1)).join('\n');
      expect(`${whole}\n`).to.equal(line.repeat(300));
    });
  });

  it('numbers sections from 1 on each page', async () => {
    const texts = async function* () {
      for (const [page, text] of [[1, 'a'], [1, ' '], [1, 'b'], [3, 'c']] as const) yield { page, text }; // oxfmt-ignore
    };
    const found = (await all(numberSections(texts()))).map(({ properties }) =>
      Object.values(properties).join(' '),
    );
    expect(found).to.deep.equal(['a 1 1', 'b 1 2', 'c 3 1']);
  });

  it('is offered for all media and for source media only', async () => {
    const { algorithm, actions, tasks, pipelines } = await descriptorOf('document-text');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['DOCUMENT TEXT', 'TEXT']);
    expect(actions.map(({ properties }) => properties)).to.deep.equal([
      [],
      [{ name: 'SOURCE_MEDIA_ONLY', value: 'TRUE' }],
    ]);
    expect(tasks.flatMap((task) => task.actions)).to.deep.equal(actions.map(({ name }) => name));
    expect(pipelines.map(({ name }) => name)).to.deep.equal(['DOCUMENT TEXT DETECTION PIPELINE']);
  });
});
