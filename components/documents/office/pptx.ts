/** Reads OOXML presentations: one page per slide, one text per paragraph, and the speaker's notes after the slide. */
import type { Package } from './package.ts';
import { Pages, Paragraphs, type DocumentItem } from './paragraphs.ts';
import { partsOf, pictureOf, relationsOf, type Relations } from './relations.ts';
import {
  attribute,
  prefixedAttribute,
  readXml,
  scanXml,
  type Attributes,
  type XmlHandler,
} from '../../../files/xml.ts';

/** Yields the items. `main` is the part that lists the slides. */
export async function* pptxItems(document: Package, main: string): AsyncGenerator<DocumentItem> {
  const relations = await relationsOf(document, main);
  const ids: string[] = [];
  await scanXml(document.read(main), {
    open: (name, attributes) => {
      if (name === 'sldId') ids.push(prefixedAttribute(attributes, 'id') ?? '');
    },
  });
  const slides = ids.map((id) => relations.get(id)?.part).filter((part) => part !== undefined);
  for (const [index, slide] of slides.entries()) {
    yield* drawingItems(document, slide, index + 1);
    const shown = await relationsOf(document, slide);
    for (const type of ['diagramData', 'notesSlide'])
      for (const part of partsOf(shown, type)) yield* drawingItems(document, part, index + 1);
  }
}

/** Yields the paragraphs and pictures of a slide or another drawn part. */
export async function* drawingItems(
  document: Package,
  part: string,
  page: number,
): AsyncGenerator<DocumentItem> {
  if (!document.has(part)) return;
  const found: DocumentItem[] = [];
  const drawing = new Drawing(await relationsOf(document, part), page, found);
  yield* readXml(document.read(part), drawing, found);
}

class Drawing implements XmlHandler {
  readonly #relations: Relations;
  readonly #pages = new Pages();
  readonly #paragraphs: Paragraphs;
  readonly #found: DocumentItem[];
  #inText = false;

  constructor(relations: Relations, page: number, found: DocumentItem[]) {
    this.#relations = relations;
    this.#found = found;
    this.#pages.current = page;
    this.#paragraphs = new Paragraphs(this.#pages, found);
  }

  leavesOut(name: string, attributes: Attributes): boolean {
    return name === 'Fallback' || isSlideField(name, attributes);
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'p') this.#paragraphs.begin();
    else if (name === 't') this.#inText = true;
    else if (name === 'br') this.#paragraphs.add('\n');
    else if (name === 'blip') {
      const part = pictureOf(this.#relations, prefixedAttribute(attributes, 'embed'));
      if (part !== undefined) this.#found.push({ kind: 'picture', page: this.#pages.current, part });
    }
  }

  text(text: string): void {
    if (this.#inText) this.#paragraphs.add(text);
  }

  close(name: string): void {
    if (name === 't') this.#inText = false;
    else if (name === 'p') this.#paragraphs.end();
  }
}

/** True for the slide number and date, which programs insert. */
function isSlideField(name: string, attributes: Attributes): boolean {
  return name === 'fld' && /^(slidenum|datetime)/.test(attribute(attributes, 'type') ?? '');
}
