/** Reads OOXML text documents: one text per paragraph, with footnotes after the paragraph that refers to them. */
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
import { LookupBudget } from './lookup-budget.ts';

/** Elements that are left out: copies for older programs, moved text, and phonetic guides. */
const LEFT_OUT = new Set(['Fallback', 'moveFrom', 'rt']);
/** Elements that represent a character. */
const CHARACTERS: Readonly<Record<string, string>> = { tab: '\t', cr: '\n', noBreakHyphen: '\u2011' };

/** Yields the items. `main` is the part with the text. Headers and footers are left out, because they repeat on every page. */
export async function* docxItems(document: Package, main: string): AsyncGenerator<DocumentItem> {
  const relations = await relationsOf(document, main);
  const notes = new Map<string, string>();
  const budget = new LookupBudget();
  for (const kind of ['footnote', 'endnote'])
    for (const part of partsOf(relations, `${kind}s`))
      await scanXml(document.read(part), new Notes(kind, notes, budget));
  const found: DocumentItem[] = [];
  yield* readXml(document.read(main), new Body(relations, notes, found), found);
}

class Body implements XmlHandler {
  readonly #pages = new Pages();
  readonly #paragraphs: Paragraphs;
  readonly #relations: Relations;
  readonly #notes: ReadonlyMap<string, string>;
  readonly #found: DocumentItem[];
  #runs = 0;
  #inText = false;
  #noted: string[] = [];

  constructor(relations: Relations, notes: ReadonlyMap<string, string>, found: DocumentItem[]) {
    this.#relations = relations;
    this.#notes = notes;
    this.#found = found;
    this.#paragraphs = new Paragraphs(this.#pages, found);
  }

  leavesOut(name: string): boolean {
    return LEFT_OUT.has(name);
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'p') this.#paragraphs.begin();
    else if (name === 'r') this.#runs++;
    else if (name === 't') this.#inText = true;
    else if (name === 'blip') this.#picture(prefixedAttribute(attributes, 'embed'));
    else if (name === 'imagedata') this.#picture(prefixedAttribute(attributes, 'id'));
    else if (name === 'pageBreakBefore') this.#breakBefore(attributes);
    else if (this.#runs > 0) this.#inRun(name, attributes);
  }

  text(text: string): void {
    if (this.#inText) this.#paragraphs.add(text);
  }

  close(name: string): void {
    if (name === 't') this.#inText = false;
    else if (name === 'r') this.#runs--;
    else if (name === 'p') {
      this.#paragraphs.end();
      for (const text of this.#noted.splice(0))
        this.#found.push({ kind: 'text', page: this.#pages.current, text });
    }
  }

  #inRun(name: string, attributes: Attributes): void {
    const character = CHARACTERS[name];
    if (character !== undefined) this.#paragraphs.add(character);
    else if (name === 'br') this.#lineOrPage(attribute(attributes, 'type'));
    else if (name === 'lastRenderedPageBreak') this.#pages.laidOut();
    else if (name === 'footnoteReference') this.#note('footnote', attributes);
    else if (name === 'endnoteReference') this.#note('endnote', attributes);
  }

  #lineOrPage(type: string | undefined): void {
    if (type !== 'page') {
      this.#paragraphs.add('\n');
      return;
    }
    this.#paragraphs.flush();
    this.#pages.breakLine();
  }

  #breakBefore(attributes: Attributes): void {
    if (!/^(0|false|off)$/.test(attribute(attributes, 'val') ?? '')) this.#pages.wantPage();
  }

  #note(kind: string, attributes: Attributes): void {
    const text = this.#notes.get(`${kind} ${attribute(attributes, 'id')}`);
    if (text !== undefined) this.#noted.push(text);
  }

  #picture(id: string | undefined): void {
    const part = pictureOf(this.#relations, id);
    if (part !== undefined) this.#found.push({ kind: 'picture', page: this.#pages.current, part });
  }
}

/** Collects the text of each note by kind and id. */
class Notes implements XmlHandler {
  readonly #kind: string;
  readonly #notes: Map<string, string>;
  readonly #budget: LookupBudget;
  #key: string | undefined;
  #text = '';
  #inText = false;

  constructor(kind: string, notes: Map<string, string>, budget: LookupBudget) {
    this.#kind = kind;
    this.#notes = notes;
    this.#budget = budget;
  }

  open(name: string, attributes: Attributes): void {
    if (name === this.#kind) this.#key = `${name} ${attribute(attributes, 'id')}`;
    else if (name === 't') this.#inText = true;
    else if (name === 'br' || name === 'cr') this.#text += '\n';
  }

  text(text: string): void {
    if (this.#inText && this.#key !== undefined) this.#text += this.#budget.take(text);
  }

  close(name: string): void {
    if (name === 't') this.#inText = false;
    else if (name === 'p') this.#text += '\n';
    else if (name === this.#kind) {
      const text = this.#text.trim();
      if (this.#key !== undefined && text !== '') this.#notes.set(this.#key, text);
      this.#key = undefined;
      this.#text = '';
    }
  }
}
