/** Number of remembered commands. A server whose store has lost its last commits may send them again with other numbers. */
const MOST = 1_000;

/** Ids of the last commands that a node has executed. */
export class CompletedCommands {
  /** In the order of execution. */
  readonly #ids = new Set<string>();

  /** Adds a command. Returns false if it was executed before. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > MOST) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}
