import type { Clock } from '../basics/clock.ts';

interface Timer {
  readonly at: number;
  readonly cancel: () => void;
}

/**
 * Informs jobs when attempts at transfers are due. The rows of the jobs contain the times, so a loaded job sets its timer again, on this or
 * another server.
 */
export class TransferTimers {
  readonly #clock: Clock;
  readonly #tellDue: (jobNumber: number) => void;
  readonly #timers = new Map<number, Timer>();

  constructor(clock: Clock, tellDue: (jobNumber: number) => void) {
    this.#clock = clock;
    this.#tellDue = tellDue;
  }

  /**
   * Sets the timer of a job to the earliest given time. The job then sets the timer again for its later attempts. `at`: milliseconds since
   * the epoch.
   */
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
