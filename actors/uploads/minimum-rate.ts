import type { Clock } from '../basics/clock.ts';

/** Minimum number of bytes in each period. */
const STEP = 64 * 1024;

/** Detects an upload that is too slow. Otherwise, a client that vanished silently would block its share of the space. */
export class MinimumRate {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #tooSlow: () => void;
  #next = STEP;
  #cancel: () => void;

  constructor(clock: Clock, ms: number, tooSlow: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#tooSlow = tooSlow;
    this.#cancel = clock.after(ms, tooSlow);
  }

  /** `bytes`: all bytes received so far. */
  noteBytes(bytes: number): void {
    if (bytes < this.#next) return;
    this.#next = bytes + STEP;
    this.#cancel();
    this.#cancel = this.#clock.after(this.#ms, this.#tooSlow);
  }

  end(): void {
    this.#cancel();
  }
}
