import type { Clock } from '../../basics/clock.ts';

/** After a slow round, the loop pauses for this multiple of its duration. So polling takes at most a fifth of the time. */
const REST = 4;

interface RoundsDeps {
  readonly clock: Clock;
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  /** True if there are watchers. */
  isWanted(): boolean;
  look(): Promise<void>;
  onFailure(error: unknown): void;
}

/** Polls in rounds, one after the other, while there are watchers. */
export class PollLoop {
  readonly #deps: RoundsDeps;
  #cancel: (() => void) | undefined;
  #looking = false;
  #closed = false;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  /** Plans the next round, unless one is planned or running. */
  plan(ms = this.#deps.everyMs): void {
    const { clock, everyMs, isWanted, look, onFailure } = this.#deps;
    if (this.#cancel !== undefined || this.#looking || this.#closed || !isWanted()) return;
    this.#cancel = clock.after(ms, () => {
      this.#cancel = undefined;
      this.#looking = true;
      const started = clock.steady();
      void look()
        .catch(onFailure)
        .finally(() => {
          this.#looking = false;
          this.plan(Math.max(everyMs, REST * (clock.steady() - started)));
        });
    });
  }

  /** Cancels the planned round. */
  pause(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  close(): void {
    this.#closed = true;
    this.pause();
  }
}
