/** The pages of a document that are processed. */
import type { Range } from '../../domain/types.ts';
import { firstIndex } from '../../domain/first-index.ts';

export class ChosenPages {
  /** Ascending and separate; undefined for all pages. */
  readonly #ranges: readonly Range[] | undefined;
  /** Highest page number so far. Every document has at least one page. */
  #highest = 1;

  constructor(ranges: readonly Range[] | undefined) {
    this.#ranges = ranges;
  }

  /** Yields the numbers of the wanted pages, for a document with `count` pages. */
  *of(count: number): Generator<number> {
    this.#highest = Math.max(1, count);
    for (const { start, stop } of this.#ranges ?? [{ start: 1, stop: count }])
      for (let page = start; page <= Math.min(stop, count); page++) yield page;
  }

  /** True if the page is wanted. Also records the page. */
  has(page: number): boolean {
    this.#highest = Math.max(this.#highest, page);
    const ranges = this.#ranges;
    if (ranges === undefined) return true;
    const range = ranges[firstIndex(ranges.length, (index) => ranges[index]!.stop >= page)];
    return (range?.start ?? Infinity) <= page;
  }

  /** True if neither this page nor a later one is wanted. */
  isBehind(page: number): boolean {
    return this.#ranges !== undefined && page > (this.#ranges.at(-1)?.stop ?? 0);
  }

  /** Warning after the last page; undefined if at least one page was chosen. */
  get warning(): string | undefined {
    if (this.#ranges === undefined || (this.#ranges[0]?.start ?? Infinity) <= this.#highest) return undefined;
    const count = `${this.#highest} page${this.#highest === 1 ? '' : 's'}`;
    return `No page of the document is processed: it has ${count}, and its frameRanges name others. Count pages from 1.`;
  }
}
