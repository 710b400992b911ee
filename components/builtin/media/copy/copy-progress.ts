import type { WorkContext } from '../../../sdk/work/work-context.ts';

/** Progress units per file. Smaller steps show progress within a large file. */
const STEP = 1_000_000;

/** Progress of copying all files. It grows with each transferred chunk. */
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
