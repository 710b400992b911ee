/** Leases of workers that outlive the server. */
import type { Lease, WorkItem } from './ledger.ts';

/** A lease that is kept on disk, for a worker that outlives the server. */
export interface StoredLease {
  readonly token: string;
  readonly worker: string;
  readonly item: WorkItem;
  /** How long it has been held already. */
  readonly heldMs: number;
}

/** Where leases of lasting workers are kept, each until it is over. */
export interface LeaseWriter {
  keep(lease: Lease): void;
  /** With the commit that settles its item this happens in the commit. */
  drop(id: string): void;
}

/** Stores leases. If they are lost, components repeat the work. */
export class LeaseStore {
  readonly #items = new Set<string>();
  #keeper: LeaseWriter | undefined;

  /** From now on leases are kept there; `items` are those that are already. */
  keepIn(keeper: LeaseWriter, items: readonly string[]): void {
    this.#keeper = keeper;
    for (const item of items) this.#items.add(item);
  }

  has(item: string): boolean {
    return this.#items.has(item);
  }

  keep(lease: Lease): void {
    if (this.#keeper === undefined) return;
    try {
      this.#keeper.keep(lease);
      this.#items.add(lease.item.id);
    } catch {
      // A lease that cannot be written does not outlive this server: then its item is handed out once more.
    }
  }

  drop(item: string): void {
    if (!this.#items.delete(item)) return;
    try {
      this.#keeper?.drop(item);
    } catch {
      // A lease that cannot be taken from the disk runs out after the next start: its worker does not beat any more.
    }
  }
}
