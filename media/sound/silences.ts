/** Silent stretches of a sound, joined where its format changes and another filter continues. Milliseconds. */
export interface Silence {
  readonly start: number;
  readonly stop: number;
}

/**
 * The filter reports silences this short, because the silences before and after a format change may be long enough
 * together.
 */
export const SHORTEST_TOLD = 50;

/** What is longer than this is a sound between two silences, and not what a decoder needs to begin anew. */
const LONGEST_BREAK = 50;

/** The filter tells times with six places. */
const ROUNDING = 0.01;

export class Silences {
  readonly #least: number;
  #since: number | undefined;
  /** Went on until the form changed, and may go on after it. */
  #before: Silence | undefined;

  /** Shorter ones are none. */
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

  /** From here on another filter tells. */
  changes(at: number): void {
    if (this.#since !== undefined) this.#before = { start: this.#since, stop: at };
    this.#since = undefined;
  }

  /** The sound is over. */
  *end(at: number): Iterable<Silence> {
    yield* this.ends(at);
    if (this.#before !== undefined) yield* this.#longEnough(this.#before);
  }

  *#longEnough(silence: Silence): Iterable<Silence> {
    if (silence.stop - silence.start >= this.#least - ROUNDING) yield silence;
  }
}
