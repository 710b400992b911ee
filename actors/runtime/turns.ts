/** Milliseconds of work in one go. */
const LONGEST = 8;

/** Long work that lets others have the event loop: it asks between two steps whether it has had it long enough. */
export class Turns {
  #since = performance.now();

  /** True: hand over with `next` before the next step. */
  get due(): boolean {
    return performance.now() - this.#since > LONGEST;
  }

  /** Goes on once everything else that is due has been done. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
