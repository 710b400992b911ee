/** Number of last commands that are remembered. A server whose store has lost its last commits may send them again with other numbers. */
const MOST = 1_000;

/** Ids of the last commands that a node has carried out. */
export class CompletedCommands {
  /** In the order in which that happened. */
  readonly #ids = new Set<string>();

  /** From now on it is one of them. False: it was before. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > MOST) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}
