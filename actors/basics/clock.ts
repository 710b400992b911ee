/** Time is injected: the runtime and every actor use a Clock, never the globals. */
export const DAY_MS = 24 * 3_600_000;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock, for time limits that corrections of the wall clock must not move. */
  steady(): number;
  /** Runs `task` once after `ms`. The returned function cancels it. Timers do not keep the process alive. */
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

/** Returns a promise that resolves after `ms` of the clock. */
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
