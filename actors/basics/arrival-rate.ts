import { delay, type Clock } from './clock.ts';

/** A burst: at least this many jobs within `WITHIN_MS`. */
const JOBS = 8;
const WITHIN_MS = 50;

/** Detects that clients are posting many jobs now, so that background work can wait until these requests are answered. */
export class ArrivalRate {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  /** Times of the last jobs on the monotonic clock, as a ring: `#oldest` is the index of the first of them. */
  readonly #arrivals = Array.from({ length: JOBS }, () => -WITHIN_MS);
  #oldest = 0;

  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  /** Notes that a client has posted a job. */
  noteJob(): void {
    this.#arrivals[this.#oldest] = this.#clock.steady();
    this.#oldest = (this.#oldest + 1) % JOBS;
  }

  /** Resolves at once if there is no burst. Otherwise it resolves when the burst is over, at most after `pauseMs`. */
  async over(): Promise<void> {
    const latest = this.#clock.steady() + this.#pauseMs;
    for (;;) {
      const left = Math.min(latest, this.#arrivals[this.#oldest]! + WITHIN_MS) - this.#clock.steady();
      if (left <= 0) return;
      await delay(this.#clock, left);
    }
  }
}
