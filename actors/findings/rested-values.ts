import type { Clock } from '../basics/clock.ts';

/** Minimum time in milliseconds for which a value is reused. */
const LEAST_MS = 1_000;
/** A value is reused for this many times its computing time. So computing takes at most a fifth of the time. */
const REST = 4;
/** Maximum number of cached values. The cache deletes the least recently used first. */
const MOST = 500;

interface Rested<T> {
  readonly value: Promise<T>;
  /** Milliseconds of the steady clock. Infinity while the value is being computed. */
  until: number;
}

/**
 * A cache of values that change all the time and are expensive to compute. The longer a computation took, the longer its result is reused.
 */
export class RestedValues<T> {
  readonly #clock: Clock;
  readonly #values = new Map<string, Rested<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `find` gets the previous value. */
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
