import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Lease, WorkItem } from '../ledger.ts';
import { MemoryLedger } from '../memory-ledger.ts';
import { migrate } from './migrations.ts';
import { formerPlaces, settleAt, type Place } from './place.ts';
import { prefixEnd, prepare, type Statements } from './statements.ts';
import {
  NotStorable,
  VersionConflict,
  type ActorKey,
  type Commit,
  type IndexEntry,
  type ListOptions,
  type OutboxEntry,
  type OutboxOptions,
  type Row,
  type RowOptions,
  type QuarantineOptions,
  type Store,
  type StoredActor,
} from '../store.ts';

/** How long a commit that is to be synced waits for company. */
const SYNC_GATHER_MS = 2;

/** Characters of actors that are kept as they were read last; a larger one is read anew each time. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_OF_ONE = KEPT_CHARACTERS / 64;

/** Errors of SQLite that what is stored is to blame for; all others are the file's. */
const CONTENT_AT_FAULT = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/;

interface Pending {
  readonly commit: Commit;
  resolve(version: number): void;
  reject(error: unknown): void;
}

export interface SqliteOptions {
  /** The data folder that the file lies in. */
  readonly place?: Place;
  readonly work?: MemoryLedger;
}

/**
 * The store in one SQLite file (WAL), held by one process. Commits that arrive in one turn of the event loop share a
 * transaction; those that must survive the loss of power are gathered a moment longer and share the sync of the disk.
 */
export class SqliteStore implements Store {
  readonly work: MemoryLedger;
  readonly #database: Database.Database;
  readonly #statements: Statements;
  /** Within a transaction a savepoint. */
  readonly #undoable: (commit: Commit) => number;
  /** What was loaded and not changed since: this store alone writes the file. Whoever loads does not change what he gets. */
  readonly #loaded = new LRUCache<string, StoredActor>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: KEPT_OF_ONE,
  });
  /** Two groups that wait to be written: an actor waits for its commit, so their order does not matter. */
  readonly #groups: { plain: Pending[]; synced: Pending[] } = { plain: [], synced: [] };

  /** Where the data folder was before, when it has been moved since the database was opened last. */
  readonly movedFrom: Place | undefined;
  /** All places where it has been before. */
  readonly formerPlaces: readonly Place[];

  /**
   * Opens (or makes) `file`, in the data folder at `place`. Throws when another process holds it or a newer version wrote it.
   */
  constructor(file: string, { place, work = new MemoryLedger() }: SqliteOptions = {}) {
    this.work = work;
    mkdirSync(path.dirname(file), { recursive: true });
    this.#database = new Database(file, { timeout: 0 });
    try {
      this.#database.pragma('locking_mode = EXCLUSIVE');
      this.#database.pragma('journal_mode = WAL');
      this.#database.pragma('synchronous = NORMAL');
      this.#database.exec('begin exclusive; commit');
      migrate(this.#database);
      this.movedFrom = place === undefined ? undefined : settleAt(this.#database, place);
      this.formerPlaces = place === undefined ? [] : formerPlaces(this.#database, place);
    } catch (error) {
      this.#database.close();
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
        throw new Error(`${file} is in use by another process: one server holds a data folder.`, {
          cause: error,
        });
      throw error;
    }
    this.#statements = prepare(this.#database);
    this.#undoable = this.#database.transaction((commit) => this.#write(commit));
    work.keepIn(
      {
        keep: (lease) => this.#keepLease(lease),
        drop: (item) => void this.#statements.dropLease.run(item),
      },
      this.#statements.leases.all().map(({ token, worker, started, body }) => ({
        token,
        worker,
        item: JSON.parse(body) as WorkItem,
        heldMs: Math.max(0, Date.now() - started),
      })),
    );
  }

  commit(commit: Commit): Promise<number> {
    return new Promise((resolve, reject) => {
      const name = commit.synced === true ? 'synced' : 'plain';
      const group = this.#groups[name];
      group.push({ commit, resolve, reject });
      if (group.length > 1) return;
      if (name === 'plain') setImmediate(() => this.#flush(name));
      else setTimeout(() => this.#flush(name), SYNC_GATHER_MS);
    });
  }

  load({ kind, id }: ActorKey): Promise<StoredActor | undefined> {
    return settle(() => {
      const name = nameOf(kind, id);
      const known = this.#loaded.get(name);
      if (known !== undefined) return known;
      const row = this.#statements.load.get({ kind, id });
      if (row === undefined) return undefined;
      const actor: StoredActor = {
        version: row.version,
        owner: { server: row.server, epoch: row.epoch },
        snapshot: { schema: row.schema, body: JSON.parse(row.snapshot) as unknown },
        record: row.record === null ? undefined : (JSON.parse(row.record) as unknown),
      };
      this.#loaded.set(name, actor, { size: row.snapshot.length + (row.record?.length ?? 0) + 1 });
      return actor;
    });
  }

  rows({ kind, id }: ActorKey, { prefix, after, limit }: RowOptions): Promise<readonly Row[]> {
    // One lower bound, so that a page costs the same wherever it lies.
    const { rowsFrom, rowsAfter } = this.#statements;
    const within = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const statement = within ? rowsAfter : rowsFrom;
    return settle(() =>
      statement
        .all({ kind, id, from: within ? after : prefix, to: prefixEnd(prefix), limit })
        .map(({ key, body }) => ({ key, body: JSON.parse(body) as unknown })),
    );
  }

  list(index: string, { after, limit, descending }: ListOptions): Promise<readonly IndexEntry[]> {
    const statement = descending === true ? this.#statements.listDown : this.#statements.listUp;
    const edge = descending === true ? Infinity : -Infinity;
    return settle(() =>
      statement.all({ name: index, score: after?.score ?? edge, id: after?.id ?? '', limit }),
    );
  }

  count(index: string): Promise<number> {
    return settle(() => this.#statements.count.get(index)!.n);
  }

  outbox(destination: string, { after, limit }: OutboxOptions): Promise<readonly OutboxEntry[]> {
    const from = { destination, due: after?.due ?? -Infinity, id: after?.id ?? '', limit };
    return settle(() =>
      this.#statements.outbox.all(from).map(({ id, due, kind, actor, body }) => ({
        id,
        destination,
        due,
        actor: { kind, id: actor },
        body: JSON.parse(body) as unknown,
      })),
    );
  }

  destinations({
    after,
    limit,
  }: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    return settle(() =>
      this.#statements.destinations.all({ after: after ?? '', limit }).map(({ destination }) => destination),
    );
  }

  counters(prefix: string): Promise<ReadonlyMap<string, number>> {
    const range = { from: prefix, to: prefixEnd(prefix) };
    return settle(
      () => new Map(this.#statements.counters.all(range).map(({ name, value }) => [name, value])),
    );
  }

  next(sequence: string, n = 1): Promise<number> {
    return settle(() => this.#statements.next.get({ name: sequence, n })!.last - n + 1);
  }

  async quarantine(
    { kind, id }: ActorKey,
    reason: string,
    { version, counters }: QuarantineOptions = {},
  ): Promise<boolean> {
    const statements = this.#statements;
    this.#loaded.delete(nameOf(kind, id));
    const at = new Date().toISOString();
    const moves = this.#database.transaction(() => {
      const { changes } = statements.quarantine.run({ kind, id, reason, at, version: version ?? null });
      if (changes === 0) return false;
      this.#count(counters);
      for (const remove of statements.remove) remove.run({ kind, id });
      return true;
    });
    const moved = await settle(moves);
    if (moved) this.work.apply({ kind, id }, { clear: true });
    return moved;
  }

  check(): Promise<void> {
    return settle(() => void this.#statements.count.get(''));
  }

  /** Copies what is committed to a new file, page by page, while commits go on. */
  async backup(file: string): Promise<void> {
    await this.#database.backup(file);
  }

  close(): Promise<void> {
    return settle(() => {
      this.#flush('plain');
      this.#flush('synced');
      this.#database.close();
    });
  }

  #flush(name: 'plain' | 'synced'): void {
    const group = this.#groups[name];
    this.#groups[name] = [];
    if (group.length === 0) return;
    const synced = name === 'synced';
    const outcomes: (number | Error)[] = [];
    try {
      if (synced) this.#database.pragma('synchronous = FULL');
      this.#database.transaction(() => {
        for (const { commit } of group) outcomes.push(this.#attempt(commit));
      })();
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    } finally {
      if (synced && this.#database.open) this.#database.pragma('synchronous = NORMAL');
    }
    group.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    });
    // Whoever committed goes on after this turn: then its work is offered.
    for (const [i, { commit }] of group.entries())
      if (commit.work !== undefined && !(outcomes[i] instanceof Error))
        this.work.apply(commit.actor, commit.work);
  }

  /** A commit that cannot be written is undone alone: it leaves the rest of its group as it is. */
  #attempt(commit: Commit): number | Error {
    try {
      return this.#undoable(commit);
    } catch (error) {
      // The file itself failed (a full disk), not this commit: none of the group is blamed for it.
      const fileFailed = error instanceof Database.SqliteError && !CONTENT_AT_FAULT.test(error.code);
      if (fileFailed || !this.#database.inTransaction) throw error;
      return error instanceof VersionConflict
        ? error
        : new NotStorable(`The commit cannot be written: ${String(error)}`, { cause: error });
    }
  }

  /** A conflict is found before anything is written. */
  #write(commit: Commit): number {
    const { kind, id } = commit.actor;
    const statements = this.#statements;
    this.#loaded.delete(nameOf(kind, id));
    const version = this.#writeActor(commit);
    this.#count(commit.counters);
    if (commit.snapshot === null) return 0;
    if (commit.record !== undefined) statements.record.run({ kind, id, body: JSON.stringify(commit.record) });
    for (const prefix of commit.removeRows ?? [])
      statements.removeRows.run({ kind, id, from: prefix, to: prefixEnd(prefix) });
    for (const row of commit.putRows ?? [])
      statements.putRow.run({ kind, id, key: row.key, body: JSON.stringify(row.body) });
    for (const [name, score] of Object.entries(commit.index ?? {})) {
      statements.removeEntry.run({ name, kind, id });
      if (score !== null) statements.putEntry.run({ name, score, kind, id });
    }
    for (const notice of commit.outbox?.remove ?? []) statements.removeNotice.run({ notice, kind, id });
    for (const item of commit.work?.settle ?? []) if (this.work.isKept(item)) statements.dropLease.run(item);
    for (const { id: notice, destination, due, body } of commit.outbox?.put ?? [])
      statements.putNotice.run({ notice, destination, due, kind, id, body: JSON.stringify(body) });
    return version;
  }

  #keepLease({ token, worker, item }: Lease): void {
    const body = JSON.stringify(item);
    this.#statements.keepLease.run({ item: item.id, token, worker, started: Date.now(), body });
  }

  #count(counters: Commit['counters'] = {}): void {
    for (const [name, by] of Object.entries(counters)) {
      this.#statements.addToCounter.run({ name, by });
      this.#statements.dropEmptyCounter.run(name);
    }
  }

  /** The actor itself: made, replaced or (without snapshot) taken away with all it has. */
  #writeActor({ actor: key, expected, owner, snapshot }: Commit): number {
    const { kind, id } = key;
    const statements = this.#statements;
    if (snapshot === null) {
      const gone = statements.removeActor.run({ kind, id, expected });
      if (gone.changes === 0) throw new VersionConflict(key, expected);
      for (const remove of statements.remove) remove.run({ kind, id });
      return 0;
    }
    const version = expected + 1;
    const actor = {
      kind,
      id,
      expected,
      version,
      server: owner.server,
      epoch: owner.epoch,
      schema: snapshot.schema,
      snapshot: JSON.stringify(snapshot.body),
    };
    const written = expected === 0 ? statements.insert.run(actor) : statements.update.run(actor);
    if (written.changes === 0) throw new VersionConflict(key, expected);
    return version;
  }
}

/** The same for a database that no server holds. @throws when one does */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new Database(from, { fileMustExist: true, timeout: 0 });
  try {
    await database.backup(to);
  } finally {
    database.close();
  }
}

const nameOf = (kind: string, id: string) => `${kind}/${id}`;

function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
