import { EXIT } from './failure.ts';

/** Who starts us (npm, timeout) may pass on a signal that has reached us already: so close together they are one. */
const SAME_SIGNAL_MS = 500;

/** The first Ctrl-C (or SIGTERM) aborts `signal`, so that the command ends in order; the second leaves at once. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #onInterrupt = (): void => this.#hear(performance.now());
  #first: number | undefined;

  constructor() {
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onInterrupt);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the signals end the process as they always do. */
  close(): void {
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTERM', this.#onInterrupt);
  }

  #hear(now: number): void {
    this.#first ??= now;
    if (now - this.#first > SAME_SIGNAL_MS) process.exit(EXIT.killed);
    this.#controller.abort();
  }
}
