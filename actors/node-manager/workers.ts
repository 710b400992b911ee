/** A running component process: what its token lets it do. Only the hash of the token is kept. */
export interface ManagedWorker {
  readonly worker: string;
  readonly tokenHash: string;
  /** Asked each time: a component may be registered while its process runs. */
  queues(): readonly string[];
  /** Whether it may do the work of one of them now. */
  mayServe(queue: string): boolean;
}

/** Makes the holders of tokens known beyond this server. */
export interface TokenBook {
  /** The answer, if there is one, settles when it is known: a process that asked for work before would be turned away. */
  add(
    tokenHash: string,
    holder: () => { readonly worker: string; readonly queues: readonly string[] },
  ): Promise<void> | void;
  remove(tokenHashes: readonly string[]): void;
}

/** Longer than the longest claim waits: who has not asked for so long is gone. */
const OUTSIDE_MS = 60_000;

/** The managed processes of this host by token; an entry dies with its process. */
export class WorkerRegistry {
  readonly #book: TokenBook;
  readonly #byHash = new Map<string, ManagedWorker>();
  readonly #cameUp = new Set<string>();
  /** When components that nobody here started last asked for work, by queue. */
  readonly #outside = new Map<string, number>();

  constructor(book: TokenBook) {
    this.#book = book;
  }

  add(entry: ManagedWorker): Promise<void> | undefined {
    const { worker, tokenHash, queues } = entry;
    this.#byHash.set(tokenHash, entry);
    return this.#book.add(tokenHash, () => ({ worker, queues: queues() })) ?? undefined;
  }

  /** The process that this token belongs to. Asking for work is what tells us that it came up. */
  find(tokenHash: string): ManagedWorker | undefined {
    const found = this.#byHash.get(tokenHash);
    if (found !== undefined) this.#cameUp.add(found.worker);
    return found;
  }

  /** The server has seen this process ask for work. */
  cameUp(worker: string): void {
    if ([...this.#byHash.values()].some((one) => one.worker === worker)) this.#cameUp.add(worker);
  }

  /** A component that was started elsewhere asks for work of these queues. */
  askedFromOutside(queues: readonly string[], at: number): void {
    for (const queue of queues) {
      // The latest stand last, so that those whose time is over are found at the beginning.
      this.#outside.delete(queue);
      this.#outside.set(queue, at);
    }
    for (const [queue, asked] of this.#outside) {
      if (at - asked < OUTSIDE_MS) return;
      this.#outside.delete(queue);
    }
  }

  /** How many queues components from outside have asked about lately. */
  get askedFor(): number {
    return this.#outside.size;
  }

  /** Whether anybody serves this queue: a process of ours that came up, or somebody outside who asked lately. */
  serves(queue: string, at: number): boolean {
    if (this.servesFromOutside(queue, at)) return true;
    return [...this.#byHash.values()].some(
      ({ worker, queues, mayServe }) =>
        queues().includes(queue) && mayServe(queue) && this.#cameUp.has(worker),
    );
  }

  /** Whether a component that no node has started has asked for work of this queue lately. */
  servesFromOutside(queue: string, at: number): boolean {
    const asked = this.#outside.get(queue);
    return asked !== undefined && at - asked < OUTSIDE_MS;
  }

  hasComeUp(worker: string): boolean {
    return this.#cameUp.has(worker);
  }

  /** Ends the token of a process that is gone; true when it had come up. */
  forget(worker: string): boolean {
    const hashes = [...this.#byHash.values()].flatMap((one) =>
      one.worker === worker ? [one.tokenHash] : [],
    );
    for (const hash of hashes) this.#byHash.delete(hash);
    if (hashes.length > 0) this.#book.remove(hashes);
    return this.#cameUp.delete(worker);
  }
}
