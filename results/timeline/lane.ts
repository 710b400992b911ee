import { BINS } from './schema.ts';

/** Initial width of a bin in milliseconds. */
const NARROWEST_MS = 10;

/**
 * Number of findings in each part of a medium. The length of the medium need not be known, because the parts grow with it. Starts and ends
 * of ranges are counted separately, because such counts stay exact when parts are joined.
 */
export class Density {
  #binMs = NARROWEST_MS;
  readonly #starts = Array.from({ length: BINS }, () => 0);
  readonly #stops = Array.from({ length: BINS }, () => 0);

  /** Counts in each part from `startMs` to `stopMs`, both included. */
  add(startMs: number, stopMs = startMs): void {
    const start = Math.max(0, startMs);
    const stop = Math.max(start, stopMs);
    while (stop >= this.#binMs * BINS) this.#widen();
    this.#starts[Math.floor(start / this.#binMs)]! += 1;
    this.#stops[Math.floor(stop / this.#binMs)]! += 1;
  }

  get binMs(): number {
    return this.#binMs;
  }

  /** Bins without the empty ones at the end. */
  get bins(): readonly number[] {
    let open = 0;
    const bins = this.#starts.map((started, n) => {
      const found = open + started;
      open = found - this.#stops[n]!;
      return found;
    });
    return bins.slice(0, bins.findLastIndex((count) => count > 0) + 1);
  }

  #widen(): void {
    for (const counts of [this.#starts, this.#stops])
      for (let n = 0; n < BINS; n++) counts[n] = n < BINS / 2 ? counts[2 * n]! + counts[2 * n + 1]! : 0;
    this.#binMs *= 2;
  }
}
