/** Which pages of a document are to be looked at. */
import type { Range } from '../../domain/types.ts';
import { firstIndex } from '../../domain/first-index.ts';

export class ChosenPages {
  /** Ascending and apart; undefined: all pages. */
  readonly #ranges: readonly Range[] | undefined;
  /** The highest page that was met: every document has one page at least. */
  #highest = 1;

  constructor(ranges: readonly Range[] | undefined) {
    this.#ranges = ranges;
  }

  /** Numbers of the wanted pages of a document with so many. */
  *of(count: number): Generator<number> {
    this.#highest = Math.max(1, count);
    for (const { start, stop } of this.#ranges ?? [{ start: 1, stop: count }])
      for (let page = start; page <= Math.min(stop, count); page++) yield page;
  }

  /** Whether a page that was met is wanted. */
  has(page: number): boolean {
    this.#highest = Math.max(this.#highest, page);
    const ranges = this.#ranges;
    if (ranges === undefined) return true;
    const range = ranges[firstIndex(ranges.length, (index) => ranges[index]!.stop >= page)];
    return (range?.start ?? Infinity) <= page;
  }

  /** Whether no page from this one on is wanted. */
  isBehind(page: number): boolean {
    return this.#ranges !== undefined && page > (this.#ranges.at(-1)?.stop ?? 0);
  }

  /** The warning after the last page; undefined unless no page was chosen. */
  get warning(): string | undefined {
    if (this.#ranges === undefined || (this.#ranges[0]?.start ?? Infinity) <= this.#highest) return undefined;
    const count = `${this.#highest} page${this.#highest === 1 ? '' : 's'}`;
    return `No page of the document is processed: it has ${count}, and its frameRanges name others. Count pages from 1.`;
  }
}
