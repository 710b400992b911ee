/** Most remembered leases: more than all components of a server claim at a time. Further leases expire. */
const MOST = 4_096;

interface Owed {
  readonly token: string;
  readonly worker: string;
  /** True if the worker may have begun to work on it. */
  readonly begun: boolean;
}

/**
 * Leases of calls that Redis did not answer and may have executed: claims whose work no component received, and releases. These leases
 * are released later. Otherwise they would expire, and the silence of Redis would count as an attempt.
 */
export class UnconfirmedLeases {
  readonly #owed = new Map<string, Owed>();

  add(owed: Owed): void {
    if (this.#owed.size < MOST) this.#owed.set(owed.token, owed);
  }

  /** Releases all leases when Redis answers again. Failed releases are retried with the next call. */
  async giveBack(release: (owed: Owed) => Promise<boolean>): Promise<void> {
    const all = [...this.#owed.values()];
    this.#owed.clear();
    // A release that fails adds its lease again.
    await Promise.all(all.map((owed) => release(owed).catch(() => undefined)));
  }
}
