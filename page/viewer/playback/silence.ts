/** Detects that no data arrives for too long. When a service accepts a request and never answers, the browser raises no error. */
export class Silence {
  readonly #ms: number;
  readonly #onSilence: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `ms`: time without a word after which `onSilence` is called, once. */
  constructor(ms: number, onSilence: () => void) {
    this.#ms = ms;
    this.#onSilence = onSilence;
  }

  /** From now on something must come. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onSilence();
    }, this.#ms);
  }

  /** Something came; more must. */
  restart(): void {
    if (this.#timer !== undefined) this.begin();
  }

  /** Nothing need come any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
