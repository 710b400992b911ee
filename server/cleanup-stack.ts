/** Undoes a failed or interrupted start, because its threads, timers and child processes would keep the process alive. */
export class CleanupStack {
  readonly #steps: (() => unknown)[] = [];
  #isOver = false;

  /** Adds a step that undoes something. If the start is already over, the step runs at once. */
  add(step: () => unknown): void {
    if (this.#isOver) void quietly(step);
    else this.#steps.push(step);
  }

  /** Runs all steps, the newest first, even if some fail. It takes at most `withinMs` milliseconds. */
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

/** Ignores errors, because the caller reports why the start has failed. */
async function quietly(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {
    // The next step runs anyway.
  }
}
