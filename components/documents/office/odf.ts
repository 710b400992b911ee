/** Reads OpenDocument texts, presentations, drawings and spreadsheets, which have all content in one part. */
import { posix } from 'node:path';
import type { Package } from './package.ts';
import { Pages, Paragraphs, type DocumentItem } from './paragraphs.ts';
import { attribute, readXml, type Attributes, type XmlHandler } from '../../../files/xml.ts';
import { LookupBudget } from './lookup-budget.ts';

export const ODF_CONTENT = 'content.xml';

/** Elements that are left out: deleted changes, comments, texts of forms and footnote marks, and phonetic guides. */
const LEFT_OUT = new Set([
  'tracked-changes',
  'annotation',
  'forms',
  'note-citation',
  'ruby-text',
  'page-number',
]);
/** Maximum number of repetitions of a cell or row. Longer runs fill a sheet up to its end. */
const MAX_REPEATED = 1_000;

/**
 * Yields the items. Texts have one text per paragraph. Presentations have one page per slide. Spreadsheets have one page per sheet and one
 * text per row.
 */
export async function* odfItems(document: Package): AsyncGenerator<DocumentItem> {
  const found: DocumentItem[] = [];
  yield* readXml(document.read(ODF_CONTENT), new Content(found), found);
}

class Content implements XmlHandler {
  readonly #found: DocumentItem[];
  readonly #pages = new Pages();
  readonly #paragraphs: Paragraphs;
  readonly #breaks = new PageBreaks();
  #row: Row | undefined;
  #sheet = false;
  /** The pictures of each open frame. */
  readonly #frames: PictureItem[][] = [];
  /** Number of slides or sheets so far; 0 in a text. */
  #leaves = 0;
  #breakAfter: boolean[] = [];

  constructor(found: DocumentItem[]) {
    this.#found = found;
    this.#paragraphs = new Paragraphs(this.#pages, found);
  }

  leavesOut(name: string): boolean {
    return LEFT_OUT.has(name);
  }

  open(name: string, attributes: Attributes): void {
    this.#breaks.open(name, attributes);
    if (name === 'spreadsheet') this.#sheet = true;
    else if ((name === 'page' && isDrawn(attributes)) || (name === 'table' && this.#sheet)) this.#leaf();
    else if (name === 'table-row' && this.#sheet) this.#row = new Row(attributes);
    else if (name === 'table-cell') this.#row?.begin(attributes);
    else if (name === 'p' || name === 'h') this.#begin(attributes);
    else if (name === 's') this.#add(' '.repeat(Math.min(Number(attribute(attributes, 'c') ?? 1) || 1, 100)));
    else if (name === 'tab') this.#add('\t');
    else if (name === 'line-break') this.#add('\n');
    else if (name === 'soft-page-break') this.#pages.laidOut();
    else if (name === 'frame') this.#frames.push([]);
    else if (name === 'image') this.#picture(attribute(attributes, 'href'));
  }

  text(text: string): void {
    this.#add(text.replace(/\s+/g, ' '));
  }

  close(name: string): void {
    if (name === 'spreadsheet') this.#sheet = false;
    else if (name === 'frame') this.#found.push(...shownOf(this.#frames.pop() ?? []));
    else if (name === 'table-cell') this.#row?.end();
    else if (name === 'table-row' && this.#row !== undefined) this.#endRow(this.#row);
    else if (name === 'p' || name === 'h') this.#end();
  }

  #leaf(): void {
    this.#pages.current = ++this.#leaves;
  }

  #begin(attributes: Attributes): void {
    if (this.#row?.within === true) return;
    const style = attribute(attributes, 'style-name') ?? '';
    if (this.#leaves === 0 && this.#breaks.before.has(style)) this.#pages.wantPage();
    this.#breakAfter.push(this.#leaves === 0 && this.#breaks.after.has(style));
    this.#paragraphs.begin();
  }

  #add(text: string): void {
    if (this.#row?.within === true) this.#row.add(text);
    else this.#paragraphs.add(text);
  }

  #end(): void {
    if (this.#row?.within === true) {
      this.#row.add('\n');
      return;
    }
    this.#paragraphs.end();
    if (this.#breakAfter.pop() === true) this.#pages.breakLine();
  }

  #endRow(row: Row): void {
    this.#row = undefined;
    for (const text of row.texts()) this.#found.push({ kind: 'text', page: this.#pages.current, text });
  }

  /** Adds a picture. External links are left out. */
  #picture(href = ''): void {
    const part = posix.normalize(href);
    if (/^(Pictures|media)\//i.test(part))
      (this.#frames.at(-1) ?? this.#found).push({ kind: 'picture', page: this.#pages.current, part });
  }
}

type PictureItem = Extract<DocumentItem, { readonly kind: 'picture' }>;

/** Returns the shown pictures of a frame, which are one picture in several formats. Drawings are left out if there is one with pixels. */
function shownOf(pictures: readonly PictureItem[]): readonly PictureItem[] {
  const pixels = pictures.filter(({ part }) => !/\.(svgz?|svm|[ew]m[fz])$/i.test(part));
  return pixels.length > 0 ? pixels : pictures;
}

/** True for a slide, as opposed to a page layout with the same element name. */
const isDrawn = (attributes: Attributes): boolean => attribute(attributes, 'master-page-name') !== undefined;

/** The paragraph styles that begin or end a page. */
class PageBreaks {
  readonly before = new Set<string>();
  readonly after = new Set<string>();
  readonly #budget = new LookupBudget();
  #style = '';

  open(name: string, attributes: Attributes): void {
    if (name === 'style') {
      this.#style = attribute(attributes, 'name') ?? '';
      // A new page layout begins a new page.
      if ((attribute(attributes, 'master-page-name') ?? '') !== '') this.#keep(this.before);
    } else if (name === 'paragraph-properties') {
      if (attribute(attributes, 'break-before') === 'page') this.#keep(this.before);
      if (attribute(attributes, 'break-after') === 'page') this.#keep(this.after);
    }
  }

  #keep(styles: Set<string>): void {
    if (this.#style !== '') styles.add(this.#budget.take(this.#style));
  }
}

/** A row of a sheet. */
class Row {
  readonly #repeated: number;
  readonly #cells: string[] = [];
  #length = 0;
  #cell: { text: string; readonly repeated: number } | undefined;

  constructor(attributes: Attributes) {
    this.#repeated = repeatCount(attributes, 'number-rows-repeated');
  }

  /** True within a cell. */
  get within(): boolean {
    return this.#cell !== undefined;
  }

  begin(attributes: Attributes): void {
    this.#cell = { text: '', repeated: repeatCount(attributes, 'number-columns-repeated') };
  }

  add(text: string): void {
    if (this.#cell !== undefined && this.#length + this.#cell.text.length < MAX_ROW) this.#cell.text += text;
  }

  end(): void {
    const { text, repeated: times } = this.#cell ?? { text: '', repeated: 0 };
    this.#cell = undefined;
    const shown = text.trim();
    if (shown === '') return;
    for (let i = 0; i < times && this.#length < MAX_ROW; i++) {
      this.#cells.push(shown);
      this.#length += shown.length;
    }
  }

  *texts(): Generator<string> {
    if (this.#cells.length === 0) return;
    const text = this.#cells.join('\t');
    for (let i = 0; i < this.#repeated; i++) yield text;
  }
}

/** Maximum number of characters in a row. Further text is cut off. */
const MAX_ROW = 16_000_000;

function repeatCount(attributes: Attributes, name: string): number {
  return Math.min(Math.max(1, Number(attribute(attributes, name) ?? 1) || 1), MAX_REPEATED);
}
