/** Silent periods of a sound in milliseconds. A period is joined when the format changes in it and another filter continues. */
export interface Silence {
  readonly start: number;
  readonly stop: number;
}

/**
 * Minimum silence that the filter reports, in milliseconds. It is short, because the silences before and after a format change may be long
 * enough together.
 */
export const SHORTEST_TOLD = 50;

/** Maximum break between two silences that are joined. A longer break is sound, not the start-up of a decoder. */
const LONGEST_BREAK = 50;

/** Tolerance for the rounded times of the filter, which have six decimal places. */
const ROUNDING = 0.01;

export class Silences {
  readonly #least: number;
  #since: number | undefined;
  /** A silence that lasted until the format changed and may continue after it. */
  #before: Silence | undefined;

  /** Silences shorter than `least` are not reported. */
  constructor(least: number) {
    this.#least = least;
  }

  *begins(at: number): Iterable<Silence> {
    const before = this.#before;
    this.#before = undefined;
    const goesOn = before !== undefined && at - before.stop <= LONGEST_BREAK;
    this.#since = goesOn ? before.start : at;
    if (before !== undefined && !goesOn) yield* this.#longEnough(before);
  }

  *ends(at: number): Iterable<Silence> {
    const since = this.#since;
    this.#since = undefined;
    if (since !== undefined) yield* this.#longEnough({ start: since, stop: at });
  }

  /** Notes a format change. From `at` on, another filter reports. */
  changes(at: number): void {
    if (this.#since !== undefined) this.#before = { start: this.#since, stop: at };
    this.#since = undefined;
  }

  /** Yields the silences that are still open at the end of the sound. */
  *end(at: number): Iterable<Silence> {
    yield* this.ends(at);
    if (this.#before !== undefined) yield* this.#longEnough(this.#before);
  }

  *#longEnough(silence: Silence): Iterable<Silence> {
    if (silence.stop - silence.start >= this.#least - ROUNDING) yield silence;
  }
}
