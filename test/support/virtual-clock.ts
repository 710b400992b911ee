import type { Clock } from '../../actors/basics/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** A clock for tests and simulation. Time passes only when it is advanced. */
export class VirtualClock implements Clock {
  #now: number;
  #correction = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = 0) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#correction;
  }

  steady(): number {
    return this.#now;
  }

  /** Sets the wall clock forward or back. Timers do not depend on it. */
  correct(ms: number): void {
    this.#correction += ms;
  }

  after(ms: number, task: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances time by `ms` and runs the timers that are due, in order. Promises settle between two timers. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.task();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #due(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (
        timer.at <= end &&
        (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
      )
        first = timer;
    return first;
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
