/** Time comes in from outside: the runtime and every actor read and wait on a Clock, never on the globals. */
export const DAY_MS = 24 * 3_600_000;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only ever go forward, from any origin: for time limits, which a corrected wall clock must not move. */
  steady(): number;
  /** Runs `task` once after `ms`; the answer cancels it. Timers never keep the process alive. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** A clock that stands still until it is advanced, for tests and simulation. */
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

  /** Sets the wall clock forward, or back; nothing falls due by that. */
  correct(ms: number): void {
    this.#correction += ms;
  }

  after(ms: number, task: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves time on by `ms` and runs what falls due on the way, in order; lets promises settle between two timers. */
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

/** A promise that settles after `ms` of the clock. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** Does something every `ms`, counted from the end of the time before, until the answer is called. What fails is done again the next time. */
export function every(clock: Clock, ms: number, work: () => Promise<void>): () => void {
  let stopped = false;
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(ms, () => void work().then(again, again));
  };
  const again = () => {
    if (!stopped) next();
  };
  next();
  return () => {
    stopped = true;
    cancel();
  };
}
