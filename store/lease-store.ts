/** Leases of workers that outlive the server. */
import type { Lease, WorkItem } from './ledger.ts';

/** A lease on disk, for a worker that outlives the server. */
export interface StoredLease {
  readonly token: string;
  readonly worker: string;
  readonly item: WorkItem;
  /** Number of milliseconds for which the worker has held it. */
  readonly heldMs: number;
}

/** Writes leases of lasting workers to disk, where each stays until it ends. */
export interface LeaseWriter {
  keep(lease: Lease): void;
  /** A commit that settles the item also deletes its lease. */
  drop(id: string): void;
}

/** Stores leases. If they are lost, components repeat the work. */
export class LeaseStore {
  readonly #items = new Set<string>();
  #keeper: LeaseWriter | undefined;

  /** Stores leases with this writer from now on. `items` already have a stored lease. */
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
      // A lease that cannot be written does not outlive this server. After a restart, its item is handed out again.
    }
  }

  drop(item: string): void {
    if (!this.#items.delete(item)) return;
    try {
      this.#keeper?.drop(item);
    } catch {
      // If the lease cannot be deleted, it expires after the next start, because its worker sends no heartbeat for it.
    }
  }
}
