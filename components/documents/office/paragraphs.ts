/** Collects the text of paragraphs and counts pages, in formats without explicit pages. */

/** An item of a document, in reading order. */
export type DocumentItem =
  | { readonly kind: 'text'; readonly page: number; readonly text: string }
  /** A picture, with the name of its part in the package. */
  | { readonly kind: 'picture'; readonly page: number; readonly part: string };

/** Maximum number of characters of a paragraph in memory. Longer ones are output in pieces. */
const MAX_HELD = 1_000_000;

/** Counts pages from 1. Programs that lay out a document record where its pages began. A break by the author counts once. */
export class Pages {
  current = 1;
  /** True if the page has no content yet. */
  #atTop = true;
  /** True after a break by the author, until the layout record of this break, if any. */
  #noteDue = false;

  /** Adds a page break by the author. */
  breakLine(): void {
    this.current++;
    this.#atTop = true;
    this.#noteDue = true;
  }

  /** Begins a page for a paragraph that requires it, unless the page is still empty. */
  wantPage(): void {
    if (!this.#atTop) this.breakLine();
  }

  /** Handles a layout record of a new page. Directly after a break, it belongs to that break. */
  laidOut(): void {
    if (!this.#noteDue) this.current++;
    this.#noteDue = false;
    this.#atTop = true;
  }

  noteText(): void {
    this.#atTop = false;
    this.#noteDue = false;
  }
}

interface Paragraph {
  text: string;
  /** Page of its first word. */
  page: number | undefined;
}

/** Collects paragraphs, which may contain text boxes with paragraphs. Inner ones end first and are output first. */
export class Paragraphs {
  readonly #open: Paragraph[] = [];
  readonly #pages: Pages;
  readonly #found: DocumentItem[];

  constructor(pages: Pages, found: DocumentItem[]) {
    this.#pages = pages;
    this.#found = found;
  }

  get within(): boolean {
    return this.#open.length > 0;
  }

  begin(): void {
    this.#open.push({ text: '', page: undefined });
  }

  add(text: string): void {
    const paragraph = this.#open.at(-1);
    if (paragraph === undefined) return;
    if (paragraph.page === undefined && /\S/.test(text)) {
      paragraph.page = this.#pages.current;
      this.#pages.noteText();
    }
    paragraph.text += text;
    if (paragraph.text.length > MAX_HELD) this.flush();
  }

  end(): void {
    this.flush();
    this.#open.pop();
  }

  /** Outputs the text of the paragraph so far, for example before a page break within it. */
  flush(): void {
    const paragraph = this.#open.at(-1);
    if (paragraph === undefined) return;
    const text = paragraph.text.trim();
    if (text !== '') this.#found.push({ kind: 'text', page: paragraph.page ?? this.#pages.current, text });
    paragraph.text = '';
    paragraph.page = undefined;
  }
}
