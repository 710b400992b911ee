/** A running component process: what its token lets it do. Only the hash of the token is kept. */
export interface ManagedWorker {
  readonly worker: string;
  readonly tokenHash: string;
  readonly queues: readonly string[];
}

/** The managed processes of this host by token; an entry dies with its process. */
export class WorkerRegistry {
  readonly #byHash = new Map<string, ManagedWorker>();
  readonly #cameUp = new Set<string>();

  add(worker: ManagedWorker): void {
    this.#byHash.set(worker.tokenHash, worker);
  }

  /** The process that this token belongs to. Asking for work is what tells us that it came up. */
  find(tokenHash: string): ManagedWorker | undefined {
    const found = this.#byHash.get(tokenHash);
    if (found !== undefined) this.#cameUp.add(found.worker);
    return found;
  }

  /** Whether a process that came up lives and serves this queue. */
  serves(queue: string): boolean {
    return [...this.#byHash.values()].some(
      ({ worker, queues }) => queues.includes(queue) && this.#cameUp.has(worker),
    );
  }

  hasComeUp(worker: string): boolean {
    return this.#cameUp.has(worker);
  }

  /** Ends the token of a process that is gone; true when it had come up. */
  forget(worker: string): boolean {
    for (const [hash, entry] of this.#byHash) if (entry.worker === worker) this.#byHash.delete(hash);
    return this.#cameUp.delete(worker);
  }
}
