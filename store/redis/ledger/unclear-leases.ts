/** More than all components of a server ask for at a time; what else is unclear waits until its lease runs out. */
const MOST = 4_096;

interface Owed {
  readonly token: string;
  readonly worker: string;
  /** Whether somebody may have begun to work on it. */
  readonly begun: boolean;
}

/**
 * Leases of claims that Redis did not answer and may have carried out: no component received this work, so the leases
 * are released. Otherwise they would expire, and the silence of Redis would count as an attempt.
 */
export class UnconfirmedLeases {
  readonly #owed = new Map<string, Owed>();

  add(owed: Owed): void {
    if (this.#owed.size < MOST) this.#owed.set(owed.token, owed);
  }

  /** To be called when Redis answers; what fails is tried again with the next call. */
  async giveBack(release: (owed: Owed) => Promise<boolean>): Promise<void> {
    const all = [...this.#owed.values()];
    this.#owed.clear();
    // One that was not released by then is known again.
    await Promise.all(all.map((owed) => release(owed).catch(() => undefined)));
  }
}
