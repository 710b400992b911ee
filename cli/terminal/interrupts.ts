import { EXIT } from './failure.ts';

/** Time within which two signals count as one. A parent process (npm, timeout) may forward a signal that this process also received. */
const SAME_SIGNAL_MS = 500;

/**
 * Handles Ctrl-C and SIGTERM. The first signal aborts `signal`, so that the command ends in an orderly way. The second ends the process at
 * once.
 */
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

  /** Restores the default effect of the signals. */
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
