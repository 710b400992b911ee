import type { Clock } from '../../basics/clock.ts';

/** After a slow round, it pauses for a multiple of its duration: polling never takes more than a fifth of the server. */
const REST = 4;

interface RoundsDeps {
  readonly clock: Clock;
  /** Time between two rounds: milliseconds. */
  readonly everyMs: number;
  /** Whether there is anything to look at. */
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

  /** Has a round follow, unless one is planned or under way. */
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

  /** No round follows until the next is planned. */
  pause(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  close(): void {
    this.#closed = true;
    this.pause();
  }
}
