/** Loads one item at a time while the wanted item changes often. The most recently wanted item is loaded next. */
export interface NewestOptions<T> {
  load(key: string): Promise<T>;
  /** Receives a loaded item, unless no item is wanted any more. */
  onLoad(value: T): void;
  /** Pause between two items: milliseconds. */
  readonly pauseMs: number;
  /** Pause after a failure: milliseconds. The service may be overloaded. */
  readonly failureMs: number;
}

export class Newest<T> {
  readonly #options: NewestOptions<T>;
  #wanted: string | undefined;
  #last: string | undefined;
  #isBusy = false;

  constructor(options: NewestOptions<T>) {
    this.#options = options;
  }

  want(key: string): void {
    this.#wanted = key;
    if (!this.#isBusy) void this.#work();
  }

  none(): void {
    this.#wanted = undefined;
    this.#last = undefined;
  }

  async #work(): Promise<void> {
    const { load, onLoad, pauseMs, failureMs } = this.#options;
    this.#isBusy = true;
    while (this.#wanted !== undefined && this.#wanted !== this.#last) {
      const key = this.#wanted;
      let pause = pauseMs;
      try {
        const value = await load(key);
        this.#last = key;
        if (this.#wanted !== undefined) onLoad(value);
      } catch {
        pause = failureMs;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    this.#isBusy = false;
  }
}
