/** Milliseconds of work before others get the event loop. */
const LONGEST = 8;

/** Divides long work so that others get the event loop: between two steps, the work asks whether its time slice is over. */
export class TimeSlices {
  #since = performance.now();

  /** True: hand over with `next` before the next step. */
  get due(): boolean {
    return performance.now() - this.#since > LONGEST;
  }

  /** A list made of another one, one by one. */
  async map<T, U>(all: readonly T[], to: (one: T, index: number) => U): Promise<readonly U[]> {
    const made: U[] = [];
    for (const [index, one] of all.entries()) {
      if (this.due) await this.next();
      made.push(to(one, index));
    }
    return made;
  }

  /** Goes on once everything else that is due has been done. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
