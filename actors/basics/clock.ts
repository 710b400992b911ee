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

/** A promise that settles after `ms` of the clock. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/**
 * Runs `work` every `ms`, counted from the end of the previous run, until the returned function is called. A failed run does not
 * stop it.
 */
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
