/** Milliseconds without a change after which all pollers have seen everything. */
const QUIET_MS = 10_000;
/** Age after which the counts are outdated. */
const HEARD_MS = 5_000;
/** Regularly, nothing counts as quiet for a short time, in which everything is polled once. */
const ANYWAY_EVERY_MS = 60_000;
const ANYWAY_FOR_MS = 2_500;

/** When any server last changed an actor of each kind. Times are those of the monotonic clock. */
export class RecentChanges {
  readonly #counts = new Map<string, string>();
  readonly #changedAt = new Map<string, number>();
  /** When the counts were read first and last. Undefined if they are not complete. */
  #heard: { readonly first: number; readonly last: number } | undefined;

  /** @param counts kinds, each with its number of changes; empty if not all servers count */
  note(counts: readonly string[], now: number): void {
    if (counts.length === 0) return void (this.#heard = undefined);
    this.#heard = { first: this.#heard?.first ?? now, last: now };
    for (let i = 0; i < counts.length; i += 2) {
      const [kind, count] = [counts[i]!, counts[i + 1]!];
      if (this.#counts.get(kind) !== count) this.#changedAt.set(kind, now);
      this.#counts.set(kind, count);
    }
  }

  isQuiet(kinds: readonly string[], now: number): boolean {
    if (this.#heard === undefined || now - this.#heard.last > HEARD_MS) return false;
    if (now - this.#heard.first < QUIET_MS || now % ANYWAY_EVERY_MS < ANYWAY_FOR_MS) return false;
    return kinds.every((kind) => now - (this.#changedAt.get(kind) ?? -Infinity) >= QUIET_MS);
  }
}
