/** Makes small office documents: just the parts that a reader needs. */
import { zipOf, type Parts } from './zip.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument';

/** [id, type, target] each. */
export type Relation = readonly [id: string, type: string, target: string];

export function relations(...list: readonly Relation[]): string {
  const all = list.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${RELATIONS}">${all.join('')}</Relationships>`;
}

/** `main` is the part to begin with; `type` its content type between the family's name and the end. */
function ooxml(main: string, type: string, parts: Parts): Buffer {
  const override = `<Override PartName="/${main}" ContentType="${CONTENT_TYPE}.${type}.main+xml"/>`;
  return zipOf({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>${override}</Types>`,
    '_rels/.rels': relations(['rId1', 'officeDocument', main]),
    ...parts,
  });
}

/** `body` is what stands in w:body. */
export function docx(body: string, parts: Parts = {}): Buffer {
  const document = `${XML}<w:document xmlns:w="w" xmlns:r="r" xmlns:a="a" xmlns:mc="mc"><w:body>${body}</w:body></w:document>`;
  return ooxml('word/document.xml', 'wordprocessingml.document', { 'word/document.xml': document, ...parts });
}

/** What stands in p:spTree of each slide, and further parts. Slide n is ppt/slides/slide<n>.xml. */
export function pptx(slides: readonly string[], parts: Parts = {}): Buffer {
  const listed = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i + 1}"/>`).join('');
  const files = slides.map((slide, i) => [
    `ppt/slides/slide${i + 1}.xml`,
    `${XML}<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r"><p:cSld><p:spTree>${slide}</p:spTree></p:cSld></p:sld>`,
  ]);
  return ooxml('ppt/presentation.xml', 'presentationml.presentation', {
    'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, i): Relation => [`s${i + 1}`, 'slide', `slides/slide${i + 1}.xml`]),
    ),
    ...(Object.fromEntries(files) as Parts),
    ...parts,
  });
}

/** What stands in sheetData of each sheet; further parts. Elements have a prefix, as some programs write them. */
export function xlsx(sheets: readonly string[], parts: Parts = {}): Buffer {
  const listed = sheets.map((_, i) => `<x:sheet name="S${i + 1}" sheetId="${i + 7}" r:id="s${i + 1}"/>`);
  const files = sheets.map((rows, i) => [
    `xl/worksheets/sheet${i + 1}.xml`,
    `${XML}<x:worksheet xmlns:x="x"><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
  ]);
  return ooxml('xl/workbook.xml', 'spreadsheetml.sheet', {
    'xl/workbook.xml': `${XML}<x:workbook xmlns:x="x" xmlns:r="r"><x:sheets>${listed.join('')}</x:sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, i): Relation => [`s${i + 1}`, 'worksheet', `/xl/worksheets/sheet${i + 1}.xml`]),
      ['t', 'sharedStrings', 'sharedStrings.xml'],
      ['f', 'styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml':
      '<sst><si><t>name</t></si><si><r><t>born</t></r><r><t xml:space="preserve"> on</t></r><rPh><t>x</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="20"/></cellXfs></styleSheet>',
    ...(Object.fromEntries(files) as Parts),
    ...parts,
  });
}

/** `body` is what stands in office:text, office:presentation or office:spreadsheet; `styles` in the automatic styles. */
export function odf(
  kind: 'text' | 'presentation' | 'spreadsheet',
  body: string,
  { styles = '', parts = {} }: { readonly styles?: string; readonly parts?: Parts } = {},
): Buffer {
  return zipOf({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `${XML}<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="ta" xmlns:draw="d" xmlns:style="s" xmlns:fo="f" xmlns:xlink="x"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    'META-INF/manifest.xml': `${XML}<manifest:manifest xmlns:manifest="m"/>`,
    ...parts,
  });
}

/** The beginning of a drawing in EMF, by which it is known; `seed` makes drawings differ. */
export function emf(seed = 0): Buffer {
  const file = Buffer.alloc(120, seed);
  file.writeUInt32LE(1, 0);
  file.write(' EMF', 40, 'latin1');
  return file;
}

/** The same in WMF, with the header that tells its size or without. */
export function wmf(sized: boolean): Buffer {
  const words = Buffer.from([1, 0, 9, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  return sized ? Buffer.concat([Buffer.from([0xd7, 0xcd, 0xc6, 0x9a]), Buffer.alloc(18), words]) : words;
}
