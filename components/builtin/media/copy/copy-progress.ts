import type { WorkContext } from '../../../sdk/work/work-context.ts';

/** Of progress for one file; smaller steps show that a large file moves. */
const STEP = 1_000_000;

/** What is done of all there is to copy; grows with every piece of a file. */
export class CopyProgress {
  total = 0;
  readonly #context: WorkContext;
  #files = 0;
  #moved = 0;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  readonly bytesMoved = (): void => {
    this.#moved = Math.min(STEP - 1, this.#moved + 1);
    this.#tell();
  };

  fileDone(): void {
    this.#files += 1;
    this.#moved = 0;
    this.#tell();
  }

  #tell(): void {
    this.#context.progress(this.#files * STEP + this.#moved, this.total * STEP);
  }
}
