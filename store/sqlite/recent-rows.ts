/** Characters of cached rows and keys; above it, the cache is emptied. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

/**
 * Caches the rows that were written last. A sub-job's row is read soon after it was written: when the sub-job is handed out, and when
 * its answer arrives.
 */
export class RecentRows {
  readonly #actors = new Map<string, Map<string, string>>();
  #characters = 0;

  put(actor: string, key: string, body: string): void {
    if (this.#characters > KEPT_CHARACTERS) this.clear();
    let rows = this.#actors.get(actor);
    if (rows === undefined) this.#actors.set(actor, (rows = new Map<string, string>()));
    const before = rows.get(key);
    this.#characters += before === undefined ? key.length + body.length : body.length - before.length;
    rows.set(key, body);
  }

  get(actor: string, key: string): string | undefined {
    return this.#actors.get(actor)?.get(key);
  }

  /** Removes an actor's rows from the cache after rows or the actor were deleted, or a write failed. */
  forget(actor: string): void {
    const rows = this.#actors.get(actor);
    if (rows === undefined) return;
    this.#actors.delete(actor);
    for (const [key, body] of rows) this.#characters -= key.length + body.length;
  }

  clear(): void {
    this.#actors.clear();
    this.#characters = 0;
  }
}
