/** Undoes a failed or interrupted start, because its threads, timers and child processes would keep the process alive. */
export class CleanupStack {
  readonly #steps: (() => unknown)[] = [];
  #isOver = false;

  /** Remembers how to undo what was just made. When the start is over already, it is undone at once. */
  add(step: () => unknown): void {
    if (this.#isOver) void quietly(step);
    else this.#steps.push(step);
  }

  /** Undoes everything, the newest first, whatever becomes of the single steps. It takes `withinMs` milliseconds at most. */
  async all(withinMs: number): Promise<void> {
    this.#isOver = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([this.#all(), late]);
    clearTimeout(timer);
  }

  async #all(): Promise<void> {
    for (const step of this.#steps.toReversed()) await quietly(step);
  }
}

/** The caller reports why the start has failed. */
async function quietly(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {
    // The next step is done all the same.
  }
}
