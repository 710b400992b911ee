import { BINS } from './schema.ts';

/** First width of a bin: milliseconds. */
const NARROWEST_MS = 10;

/** How much was found in each part of a medium, whose length need not be known: the parts grow with it. */
export class Density {
  #binMs = NARROWEST_MS;
  readonly #bins = Array.from({ length: BINS }, () => 0);

  add(ms: number): void {
    const at = Math.max(0, ms);
    while (at >= this.#binMs * BINS) this.#widen();
    this.#bins[Math.floor(at / this.#binMs)]! += 1;
  }

  get binMs(): number {
    return this.#binMs;
  }

  /** Without the empty ones at the end. */
  get bins(): readonly number[] {
    return this.#bins.slice(0, this.#bins.findLastIndex((count) => count > 0) + 1);
  }

  #widen(): void {
    for (let n = 0; n < BINS; n++)
      this.#bins[n] = n < BINS / 2 ? this.#bins[2 * n]! + this.#bins[2 * n + 1]! : 0;
    this.#binMs *= 2;
  }
}
