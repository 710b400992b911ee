/** Reads OOXML workbooks: one page per sheet and one text per row, with its filled cells separated by tabs. */
import type { Package } from './package.ts';
import { Pages, Paragraphs, type DocumentItem } from './paragraphs.ts';
import { drawingItems } from './pptx.ts';
import { partsOf, relationsOf } from './relations.ts';
import {
  attribute,
  prefixedAttribute,
  readXml,
  scanXml,
  type Attributes,
  type XmlHandler,
} from '../../../files/xml.ts';
import { dateStyles, dateText, numberText, sharedTexts } from './xlsx-values.ts';

interface Values {
  readonly shared: readonly string[];
  readonly dates: readonly boolean[];
  readonly since1904: boolean;
}

/** Yields the items. `main` is the part that lists the sheets. */
export async function* xlsxItems(document: Package, main: string): AsyncGenerator<DocumentItem> {
  const relations = await relationsOf(document, main);
  const ids: string[] = [];
  let since1904 = false;
  await scanXml(document.read(main), {
    open: (name, attributes) => {
      if (name === 'sheet') ids.push(prefixedAttribute(attributes, 'id') ?? '');
      if (name === 'workbookPr') since1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '');
    },
  });
  const [texts, styles] = [partsOf(relations, 'sharedStrings')[0], partsOf(relations, 'styles')[0]];
  const values: Values = {
    shared: texts === undefined ? [] : await sharedTexts(document, texts),
    dates: styles === undefined ? [] : await dateStyles(document, styles),
    since1904,
  };
  for (const [index, id] of ids.entries()) {
    const sheet = relations.get(id);
    if (sheet?.type === 'worksheet') yield* sheetItems(document, sheet.part, index + 1, values);
  }
}

async function* sheetItems(
  document: Package,
  part: string,
  page: number,
  values: Values,
): AsyncGenerator<DocumentItem> {
  const found: DocumentItem[] = [];
  yield* readXml(document.read(part), new Sheet(page, values, found), found);
  for (const drawing of partsOf(await relationsOf(document, part), 'drawing'))
    yield* drawingItems(document, drawing, page);
}

class Sheet implements XmlHandler {
  readonly #values: Values;
  readonly #row: Paragraphs;
  #filled = false;
  #type = 'n';
  #style = 0;
  #value = '';
  #inValue = false;
  #readings = 0;

  constructor(page: number, values: Values, found: DocumentItem[]) {
    this.#values = values;
    const pages = new Pages();
    pages.current = page;
    this.#row = new Paragraphs(pages, found);
  }

  open(name: string, { t = 'n', s = '0' }: Attributes): void {
    if (name === 'row') {
      this.#row.begin();
      this.#filled = false;
    } else if (name === 'c') {
      this.#type = t;
      this.#style = Number(s);
      this.#value = '';
    } else if (name === 'rPh') this.#readings++;
    else if (name === 'v' || name === 't') this.#inValue = true;
  }

  text(text: string): void {
    if (this.#inValue && this.#readings === 0) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false;
    else if (name === 'rPh') this.#readings--;
    else if (name === 'row') this.#row.end();
    else if (name === 'c') {
      const text = this.#textOfCell();
      if (text.trim() === '') return;
      this.#row.add(this.#filled ? `\t${text}` : text);
      this.#filled = true;
    }
  }

  #textOfCell(): string {
    const { shared, dates, since1904 } = this.#values;
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return shared[Number(value)] ?? '';
      case 'b':
        return value.trim() === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        if (value.trim() === '') return '';
        return dates[this.#style] === true ? dateText(value, since1904) : numberText(value);
      default:
        return value;
    }
  }
}
