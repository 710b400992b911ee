/** Milliseconds of work after which other work gets the event loop. */
const LONGEST = 8;

/** Divides long work so that other work gets the event loop: between two steps, the work checks whether its time slice is over. */
export class TimeSlices {
  #since = performance.now();

  /** True if the work must call `next` before its next step. */
  get due(): boolean {
    return performance.now() - this.#since > LONGEST;
  }

  /** Maps a list one by one, in time slices. */
  async map<T, U>(all: readonly T[], to: (one: T, index: number) => U): Promise<readonly U[]> {
    const made: U[] = [];
    for (const [index, one] of all.entries()) {
      if (this.due) await this.next();
      made.push(to(one, index));
    }
    return made;
  }

  /** Resolves after other pending work has run. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
