/** Tells when nothing comes for too long. A service that takes a request and never answers raises no error in the browser. */
export class Silence {
  readonly #ms: number;
  readonly #told: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `ms`: time without a word after which `told` is called, once. */
  constructor(ms: number, told: () => void) {
    this.#ms = ms;
    this.#told = told;
  }

  /** From now on something must come. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#told();
    }, this.#ms);
  }

  /** Something came; more must. */
  heard(): void {
    if (this.#timer !== undefined) this.begin();
  }

  /** Nothing need come any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
