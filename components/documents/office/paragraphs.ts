/** Collects the text of paragraphs and numbers the pages, in documents that have no pages of their own. */

/** What a document consists of, in reading order. */
export type DocumentItem =
  | { readonly kind: 'text'; readonly page: number; readonly text: string }
  /** A picture: the name of its part in the package. */
  | { readonly kind: 'picture'; readonly page: number; readonly part: string };

/** A paragraph of more characters is given out in pieces, so that memory stays flat. */
const MAX_HELD = 1_000_000;

/** Counts pages from 1. A program that has laid a document out notes where its pages began; a break that was asked for counts once. */
export class Pages {
  current = 1;
  /** Nothing stands on the page yet. */
  #atTop = true;
  /** The page comes of a break whose note, if the document has notes, is still to come. */
  #noteDue = false;

  /** A break that the author asked for. */
  breakLine(): void {
    this.current++;
    this.#atTop = true;
    this.#noteDue = true;
  }

  /** A paragraph that wants to begin a page: at the top of one it has its wish. */
  wantPage(): void {
    if (!this.#atTop) this.breakLine();
  }

  /** A page began here when the document was last laid out; right after a break it is the page of that break. */
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
  /** Where its first word stands. */
  page: number | undefined;
}

/** Paragraphs may hold text boxes with paragraphs: the inner ones end, and are given out, first. */
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

  /** Gives out what the paragraph has so far, for example before a page break in its middle. */
  flush(): void {
    const paragraph = this.#open.at(-1);
    if (paragraph === undefined) return;
    const text = paragraph.text.trim();
    if (text !== '') this.#found.push({ kind: 'text', page: paragraph.page ?? this.#pages.current, text });
    paragraph.text = '';
    paragraph.page = undefined;
  }
}
