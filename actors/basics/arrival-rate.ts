import { delay, type Clock } from './clock.ts';

/** So many jobs within so many milliseconds are a burst. */
const JOBS = 8;
const WITHIN_MS = 50;

/** Detects that clients are posting many jobs now, so that background work can wait until these requests are answered. */
export class ArrivalRate {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  /** When the last of them came, on the steady clock; `#oldest` says which of them came first. */
  readonly #arrivals = Array.from({ length: JOBS }, () => -WITHIN_MS);
  #oldest = 0;

  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  /** A job was posted. */
  noteJob(): void {
    this.#arrivals[this.#oldest] = this.#clock.steady();
    this.#oldest = (this.#oldest + 1) % JOBS;
  }

  /** Settles at once when there is no burst, else when it is over, at the latest after `pauseMs`. */
  async over(): Promise<void> {
    const latest = this.#clock.steady() + this.#pauseMs;
    for (;;) {
      const left = Math.min(latest, this.#arrivals[this.#oldest]! + WITHIN_MS) - this.#clock.steady();
      if (left <= 0) return;
      await delay(this.#clock, left);
    }
  }
}
