import { EXIT } from './failure.ts';

/** The first Ctrl-C (or SIGTERM) aborts `signal`, so that the command ends in order; the second leaves at once. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #heard = (): void => {
    if (this.#controller.signal.aborted) process.exit(EXIT.killed);
    this.#controller.abort();
  };

  constructor() {
    process.on('SIGINT', this.#heard);
    process.on('SIGTERM', this.#heard);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the signals end the process as they always do. */
  close(): void {
    process.off('SIGINT', this.#heard);
    process.off('SIGTERM', this.#heard);
  }
}
