/** Detects that no data arrives for too long. If a service accepts a request and never answers, the browser reports no error. */
export class Silence {
  readonly #ms: number;
  readonly #onSilence: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `ms`: time without data after which `onSilence` is called, once. */
  constructor(ms: number, onSilence: () => void) {
    this.#ms = ms;
    this.#onSilence = onSilence;
  }

  /** Starts to expect data. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onSilence();
    }, this.#ms);
  }

  /** Restarts the time, because data has arrived. */
  restart(): void {
    if (this.#timer !== undefined) this.begin();
  }

  /** Stops expecting data. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
