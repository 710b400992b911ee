import type { Clock } from '../basics/clock.ts';

/** Milliseconds for which a value is reused at least. */
const LEAST_MS = 1_000;
/** What took long to find out stands so many times as long: finding out never takes more than a fifth of the time. */
const REST = 4;
/** Values that are kept; those that were asked for longest ago go first. */
const MOST = 500;

interface Rested<T> {
  readonly value: Promise<T>;
  /** Milliseconds of the steady clock; Infinity: it is being found out. */
  until: number;
}

/**
 * A cache of values that change all the time and are expensive to compute: the longer a computation took, the longer its result is
 * reused.
 */
export class RestedValues<T> {
  readonly #clock: Clock;
  readonly #values = new Map<string, Rested<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `find` is given what was found out before. */
  async get(key: string, find: (before: T | undefined) => Promise<T>): Promise<T> {
    const known = this.#values.get(key);
    this.#values.delete(key);
    const began = this.#clock.steady();
    if (known !== undefined && began < known.until) {
      this.#values.set(key, known);
      return known.value;
    }
    const before = known?.value.catch(() => undefined) ?? Promise.resolve(undefined);
    const found: Rested<T> = { value: before.then(find), until: Infinity };
    this.#values.set(key, found);
    if (this.#values.size > MOST) this.#values.delete(this.#values.keys().next().value!);
    try {
      const value = await found.value;
      const now = this.#clock.steady();
      found.until = now + Math.max(LEAST_MS, REST * (now - began));
      return value;
    } catch (error) {
      found.until = 0;
      throw error;
    }
  }

  forget(key: string): void {
    this.#values.delete(key);
  }
}
