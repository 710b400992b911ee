import type Database from 'better-sqlite3';
import type { LeaseWriter, StoredLease } from '../lease-store.ts';
import type { Lease, WorkItem } from '../ledger.ts';
import type { LeaseRow, Statements } from './statements.ts';

/** Leases of workers that outlive the server, as rows. */
export class LeaseRows implements LeaseWriter {
  readonly #database: Database.Database;
  readonly #statements: Statements;

  constructor(database: Database.Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  keep({ token, worker, item }: Lease): void {
    const body = JSON.stringify(item);
    this.#statements.keepLease.run({ item: item.id, token, worker, started: Date.now(), body });
  }

  drop(item: string): void {
    this.#statements.dropLease.run(item);
  }

  all(): readonly StoredLease[] {
    return this.#statements.leases.all().flatMap((row) => this.#storedLease(row));
  }

  /** Moves an unreadable lease to quarantine. Its job offers the sub-job again. */
  #storedLease({ token, worker, started, body }: LeaseRow): readonly StoredLease[] {
    const item = readItem(body);
    if (item !== undefined) return [{ token, worker, item, heldMs: Math.max(0, Date.now() - started) }];
    const at = new Date().toISOString();
    this.#database.transaction(() => {
      this.#statements.quarantineLease.run({ token, at });
      this.#statements.dropLeaseOf.run(token);
    })();
    return [];
  }
}

/** Returns undefined if the text is not an item. */
function readItem(body: string): WorkItem | undefined {
  try {
    const item = JSON.parse(body) as Partial<WorkItem> | null;
    const texts = [item?.id, item?.key, item?.queue, item?.kind, item?.actor?.kind, item?.actor?.id];
    const numbers = [item?.priority, item?.attempt, item?.share];
    const isItem =
      texts.every((text) => typeof text === 'string') &&
      numbers.every((number) => typeof number === 'number');
    return isItem ? (item as WorkItem) : undefined;
  } catch {
    return undefined;
  }
}
