/** A running component process, and the queues that its token allows. Only the hash of the token is kept. */
export interface ManagedWorker {
  readonly worker: string;
  readonly tokenHash: string;
  /** Called each time, because a component may be registered while its process runs. */
  queues(): readonly string[];
  /** True if the process may do the work of a queue now. */
  mayServe(queue: string): boolean;
}

/** Informs other servers of the holders of tokens. */
export interface TokenBook {
  /** A returned promise settles when the token is known. Before that, the server would refuse a claim of the process. */
  add(
    tokenHash: string,
    holder: () => { readonly worker: string; readonly queues: readonly string[] },
  ): Promise<void> | void;
  remove(tokenHashes: readonly string[]): void;
}

/** Time without a claim after which an outside component counts as ended. It is longer than the longest claim. */
const OUTSIDE_MS = 60_000;

/** The managed processes of this host by token. An entry is removed when its process ends. */
export class WorkerRegistry {
  readonly #book: TokenBook;
  readonly #byHash = new Map<string, ManagedWorker>();
  readonly #cameUp = new Set<string>();
  /** Time of the last claim of components that were not started here, by queue. */
  readonly #outside = new Map<string, number>();

  constructor(book: TokenBook) {
    this.#book = book;
  }

  add(entry: ManagedWorker): Promise<void> | undefined {
    const { worker, tokenHash, queues } = entry;
    this.#byHash.set(tokenHash, entry);
    return this.#book.add(tokenHash, () => ({ worker, queues: queues() })) ?? undefined;
  }

  /** Returns the process with this token. Its claim shows that it is up. */
  find(tokenHash: string): ManagedWorker | undefined {
    const found = this.#byHash.get(tokenHash);
    if (found !== undefined) this.#cameUp.add(found.worker);
    return found;
  }

  /** Notes that this process has asked the server for work. */
  cameUp(worker: string): void {
    if ([...this.#byHash.values()].some((one) => one.worker === worker)) this.#cameUp.add(worker);
  }

  /** Notes a claim of a component that was started elsewhere. */
  askedFromOutside(queues: readonly string[], at: number): void {
    for (const queue of queues) {
      // The latest claims are last, so that expired ones are at the beginning.
      this.#outside.delete(queue);
      this.#outside.set(queue, at);
    }
    for (const [queue, asked] of this.#outside) {
      if (at - asked < OUTSIDE_MS) return;
      this.#outside.delete(queue);
    }
  }

  /** Number of queues that outside components have recently asked for. */
  get askedFor(): number {
    return this.#outside.size;
  }

  /** True if a process of this host that is up serves the queue, or an outside component has recently asked for it. */
  serves(queue: string, at: number): boolean {
    if (this.servesFromOutside(queue, at)) return true;
    return [...this.#byHash.values()].some(
      ({ worker, queues, mayServe }) =>
        queues().includes(queue) && mayServe(queue) && this.#cameUp.has(worker),
    );
  }

  /** True if a component that no node has started has recently asked for work of this queue. */
  servesFromOutside(queue: string, at: number): boolean {
    const asked = this.#outside.get(queue);
    return asked !== undefined && at - asked < OUTSIDE_MS;
  }

  hasComeUp(worker: string): boolean {
    return this.#cameUp.has(worker);
  }

  /** Removes the token of an ended process. Returns true if the process had come up. */
  forget(worker: string): boolean {
    const hashes = [...this.#byHash.values()].flatMap((one) =>
      one.worker === worker ? [one.tokenHash] : [],
    );
    for (const hash of hashes) this.#byHash.delete(hash);
    if (hashes.length > 0) this.#book.remove(hashes);
    return this.#cameUp.delete(worker);
  }
}
