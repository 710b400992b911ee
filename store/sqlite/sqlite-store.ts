import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { migrate } from './migrations.ts';
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

/**
 * The store in one SQLite file (WAL), held by one process. Commits that arrive in one turn of the event loop share a
 * transaction; those that must survive the loss of power are gathered a moment longer and share the sync of the disk.
 */
export class SqliteStore implements Store {
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  /** Within a transaction a savepoint. */
  readonly #undoable: (commit: Commit) => number;
  /** What was loaded and not changed since: this store alone writes the file. Whoever loads does not change what he gets. */
  readonly #loaded = new LRUCache<string, StoredActor>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: KEPT_OF_ONE,
  });
  /** Two groups that wait to be written: an actor waits for its commit, so their order does not matter. */
  readonly #groups: { plain: Pending[]; synced: Pending[] } = { plain: [], synced: [] };

  /** Opens (or makes) `file`. Throws when another process holds it or a newer version wrote it. */
  constructor(file: string) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#database = new Database(file, { timeout: 0 });
    try {
      this.#database.pragma('locking_mode = EXCLUSIVE');
      this.#database.pragma('journal_mode = WAL');
      this.#database.pragma('synchronous = NORMAL');
      this.#database.exec('begin exclusive; commit');
      migrate(this.#database);
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

  quarantine({ kind, id }: ActorKey, reason: string, counters?: Commit['counters']): Promise<void> {
    const statements = this.#statements;
    this.#loaded.delete(nameOf(kind, id));
    return settle(
      this.#database.transaction(() => {
        const moved = statements.quarantine.run({ kind, id, reason, at: new Date().toISOString() });
        if (moved.changes > 0) this.#count(counters);
        for (const remove of statements.remove) remove.run({ kind, id });
      }),
    );
  }

  check(): Promise<void> {
    return settle(() => void this.#statements.count.get(''));
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
    for (const { id: notice, destination, due, body } of commit.outbox?.put ?? [])
      statements.putNotice.run({ notice, destination, due, kind, id, body: JSON.stringify(body) });
    return version;
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

interface ActorRow {
  version: number;
  server: string;
  epoch: number;
  schema: number;
  snapshot: string;
  record: string | null;
}

interface NoticeRow {
  id: string;
  due: number;
  kind: string;
  actor: string;
  body: string;
}

function prepare(database: Database.Database) {
  const page = 'select score, id from entries where name = @name and';
  const rowPage = 'select key, body from actor_rows where kind = @kind and id = @id and';
  const rowOrder = 'and key < @to order by key limit @limit';
  return {
    insert: database.prepare(
      `insert into actors values (@kind, @id, @version, @server, @epoch, @schema, @snapshot) on conflict do nothing`,
    ),
    update: database.prepare(
      `update actors set version = @version, server = @server, epoch = @epoch, schema = @schema, snapshot = @snapshot
       where kind = @kind and id = @id and version = @expected`,
    ),
    record: database.prepare('insert or replace into records values (@kind, @id, @body)'),
    load: database.prepare<unknown[], ActorRow>(
      `select version, server, epoch, schema, snapshot,
         (select body from records r where r.kind = a.kind and r.id = a.id) as record
       from actors a where kind = @kind and id = @id`,
    ),
    putRow: database.prepare('insert or replace into actor_rows values (@kind, @id, @key, @body)'),
    removeRows: database.prepare(
      'delete from actor_rows where kind = @kind and id = @id and key >= @from and key < @to',
    ),
    rowsFrom: database.prepare<unknown[], { key: string; body: string }>(
      `${rowPage} key >= @from ${rowOrder}`,
    ),
    rowsAfter: database.prepare<unknown[], { key: string; body: string }>(
      `${rowPage} key > @from ${rowOrder}`,
    ),
    putEntry: database.prepare('insert into entries values (@name, @score, @kind, @id)'),
    removeEntry: database.prepare('delete from entries where name = @name and kind = @kind and id = @id'),
    listUp: database.prepare<unknown[], IndexEntry>(
      `${page} (score, id) > (@score, @id) order by score, id limit @limit`,
    ),
    listDown: database.prepare<unknown[], IndexEntry>(
      `${page} (score, id) < (@score, @id) order by score desc, id desc limit @limit`,
    ),
    count: database.prepare<[string], { n: number }>('select count(*) as n from entries where name = ?'),
    putNotice: database.prepare(
      `insert into outbox values (@notice, @destination, @due, @kind, @id, @body) on conflict (id) do update
       set destination = @destination, due = @due, body = @body where kind = @kind and actor = @id`,
    ),
    removeNotice: database.prepare('delete from outbox where id = @notice and kind = @kind and actor = @id'),
    outbox: database.prepare<unknown[], NoticeRow>(
      `select id, due, kind, actor, body from outbox
       where destination = @destination and (due, id) > (@due, @id) order by due, id limit @limit`,
    ),
    // From each to the next one: `select distinct` would look at every notice, and a dead receiver has many.
    destinations: database.prepare<unknown[], { destination: string }>(
      `with recursive found (destination) as (
         select min(destination) from outbox where destination > @after
         union all
         select (select min(o.destination) from outbox o where o.destination > f.destination) from found f
           where f.destination is not null
         limit @limit)
       select destination from found where destination is not null`,
    ),
    addToCounter: database.prepare(
      'insert into counters values (@name, @by) on conflict do update set value = value + @by',
    ),
    dropEmptyCounter: database.prepare('delete from counters where name = ? and value = 0'),
    counters: database.prepare<unknown[], { name: string; value: number }>(
      'select name, value from counters where name >= @from and name < @to order by name',
    ),
    next: database.prepare<unknown[], { last: number }>(
      `insert into sequences values (@name, @n) on conflict do update set last = last + @n returning last`,
    ),
    quarantine: database.prepare(
      `insert into quarantine select a.kind, a.id, @reason, @at, json_object(
         'schema', a.schema, 'version', a.version, 'snapshot', a.snapshot,
         'record', (select body from records r where r.kind = a.kind and r.id = a.id),
         'rows', (select json_group_object(key, body) from actor_rows r where r.kind = a.kind and r.id = a.id),
         'notices', (select json_group_object(o.id, o.body) from outbox o where o.kind = a.kind and o.actor = a.id))
       from actors a where a.kind = @kind and a.id = @id`,
    ),
    removeActor: database.prepare(
      'delete from actors where kind = @kind and id = @id and version = @expected',
    ),
    remove: [
      ...['actors', 'records', 'actor_rows', 'entries'].map((table) =>
        database.prepare(`delete from ${table} where kind = @kind and id = @id`),
      ),
      database.prepare('delete from outbox where kind = @kind and actor = @id'),
    ],
  };
}

const nameOf = (kind: string, id: string) => `${kind}/${id}`;

const LAST_CHARACTER = 0x10ffff;
/** Between these two lie the halves of characters, which are none. */
const [BEFORE_HALVES, AFTER_HALVES] = [0xd7ff, 0xe000];

/** The smallest value that is greater than every text that starts with `prefix`. */
function prefixEnd(prefix: string): string | Buffer {
  const characters = Array.from(prefix);
  for (;;) {
    const last = characters.pop()?.codePointAt(0);
    // To SQLite every blob is greater than every text.
    if (last === undefined) return Buffer.alloc(0);
    const next = last === BEFORE_HALVES ? AFTER_HALVES : last + 1;
    if (last < LAST_CHARACTER) return characters.join('') + String.fromCodePoint(next);
  }
}

function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
