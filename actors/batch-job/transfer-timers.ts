import type { Clock } from '../basics/clock.ts';

interface Timer {
  readonly at: number;
  readonly cancel: () => void;
}

/**
 * Tells jobs when attempts at transfers are due. The times are in the rows of the jobs: a job that is loaded, on this or another
 * server, sets its timer again.
 */
export class TransferTimers {
  readonly #clock: Clock;
  readonly #tellDue: (jobNumber: number) => void;
  readonly #timers = new Map<number, Timer>();

  constructor(clock: Clock, tellDue: (jobNumber: number) => void) {
    this.#clock = clock;
    this.#tellDue = tellDue;
  }

  /** Each job has one timer, for the earliest time that was given: then it says what is due after that. `at`: milliseconds since the epoch. */
  set(jobNumber: number, at: number): void {
    const known = this.#timers.get(jobNumber);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#timers.delete(jobNumber);
      this.#tellDue(jobNumber);
    });
    this.#timers.set(jobNumber, { at, cancel });
  }
}
