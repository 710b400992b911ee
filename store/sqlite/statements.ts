/** The SQL statements of the store. */
import type Database from 'better-sqlite3';
import type { IndexEntry } from '../store.ts';

/** An actor without its record. */
export interface StateRow {
  version: number;
  commit_id: string;
  server: string;
  epoch: number;
  schema: number;
  snapshot: string;
}

interface ActorRow extends StateRow {
  record: string | null;
  parts: string | null;
}

/** A record as it is stored: its own text, and the list of its shared parts. */
export interface RecordRow {
  readonly body: string;
  readonly parts: string;
}

export interface LeaseRow {
  token: string;
  worker: string;
  started: number;
  body: string;
}

interface NoticeRow {
  id: string;
  due: number;
  kind: string;
  actor: string;
  body: string;
}

export type Statements = ReturnType<typeof prepare>;

/** All statements, prepared once. */
export const prepare = (database: Database.Database) => ({
  ...ofActors(database),
  ...ofRecords(database),
  ...ofRows(database),
  ...ofIndexes(database),
  ...ofOutbox(database),
  ...ofNumbers(database),
  ...ofLeases(database),
  ...ofQuarantine(database),
});

/** Actors with their snapshots. */
function ofActors(database: Database.Database) {
  return {
    insert: database.prepare('insert into actors values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing'),
    update: database.prepare(
      `update actors set version = ?, server = ?, epoch = ?, schema = ?, snapshot = ?, commit_id = ?
       where kind = ? and id = ? and version = ? and commit_id = ifnull(?, commit_id)`,
    ),
    load: database.prepare<unknown[], ActorRow>(
      `select a.version, a.commit_id, a.server, a.epoch, a.schema, a.snapshot, r.body as record, r.parts
       from actors a left join records r on r.kind = a.kind and r.id = a.id where a.kind = @kind and a.id = @id`,
    ),
    loadState: database.prepare<unknown[], StateRow>(
      'select version, commit_id, server, epoch, schema, snapshot from actors where kind = @kind and id = @id',
    ),
    removeActor: database.prepare(
      'delete from actors where kind = ? and id = ? and version = ? and commit_id = ifnull(?, commit_id)',
    ),
    remove: [
      ...['actors', 'actor_rows', 'entries'].map((table) =>
        database.prepare(`delete from ${table} where kind = @kind and id = @id`),
      ),
      database.prepare('delete from outbox where kind = @kind and actor = @id'),
    ],
  };
}

/** Records of actors, and the parts that several of them share. */
function ofRecords(database: Database.Database) {
  return {
    putRecord: database.prepare('insert or replace into records (kind, id, body, parts) values (?, ?, ?, ?)'),
    recordOf: database.prepare<[string, string], RecordRow>(
      'select body, parts from records where kind = ? and id = ?',
    ),
    removeRecord: database.prepare<[string, string], Pick<RecordRow, 'parts'>>(
      'delete from records where kind = ? and id = ? returning parts',
    ),
    part: database.prepare<[string], { body: string }>('select body from parts where hash = ?'),
    useParts: database.prepare(
      'insert into parts (hash, users, body) values (?, ?, ?) on conflict do update set users = users + excluded.users, body = iif(json_valid(body), body, excluded.body)',
    ),
    leaveParts: database.prepare<[number, string], { users: number }>(
      'update parts set users = users + ? where hash = ? returning users',
    ),
    dropPart: database.prepare('delete from parts where hash = ?'),
  };
}

/** Rows of actors. */
function ofRows(database: Database.Database) {
  const rowPage = 'select key, body from actor_rows where kind = @kind and id = @id and';
  const rowOrder = 'and key < @to order by key limit @limit';
  return {
    putRow: database.prepare('insert or replace into actor_rows values (?, ?, ?, ?)'),
    removeRows: database.prepare('delete from actor_rows where kind = ? and id = ? and key >= ? and key < ?'),
    rowsFrom: database.prepare<unknown[], { key: string; body: string }>(
      `${rowPage} key >= @from ${rowOrder}`,
    ),
    rowsAfter: database.prepare<unknown[], { key: string; body: string }>(
      `${rowPage} key > @from ${rowOrder}`,
    ),
  };
}

/** Indexes. */
function ofIndexes(database: Database.Database) {
  const page = 'select score, id from entries where name = @name and';
  return {
    putEntry: database.prepare(
      'insert into entries values (?, ?, ?, ?) on conflict (kind, id, name) do update set score = excluded.score',
    ),
    removeEntry: database.prepare('delete from entries where name = ? and kind = ? and id = ?'),
    listUp: database.prepare<unknown[], IndexEntry>(
      `${page} (score, id) > (@score, @id) order by score, id limit @limit`,
    ),
    listDown: database.prepare<unknown[], IndexEntry>(
      `${page} (score, id) < (@score, @id) order by score desc, id desc limit @limit`,
    ),
    count: database.prepare<[string], { n: number }>('select count(*) as n from entries where name = ?'),
  };
}

/** Notices to deliver. */
function ofOutbox(database: Database.Database) {
  return {
    putNotice: database.prepare(
      `insert into outbox values (@notice, @destination, @due, @kind, @id, @body) on conflict (id) do update
       set destination = @destination, due = @due, body = @body where kind = @kind and actor = @id`,
    ),
    removeNotice: database.prepare('delete from outbox where id = @notice and kind = @kind and actor = @id'),
    outbox: database.prepare<unknown[], NoticeRow>(
      `select id, due, kind, actor, body from outbox
       where destination = @destination and (due, id) > (@due, @id) order by due, id limit @limit`,
    ),
    // Jumps from each destination to the next. `select distinct` would read every notice, and a dead receiver has many.
    destinations: database.prepare<unknown[], { destination: string }>(
      `with recursive found (destination) as (
         select min(destination) from outbox where destination > @after
         union all
         select (select min(o.destination) from outbox o where o.destination > f.destination) from found f
           where f.destination is not null
         limit @limit)
       select destination from found where destination is not null`,
    ),
  };
}

/** Counters and sequences. */
function ofNumbers(database: Database.Database) {
  return {
    addToCounter: database.prepare<[string, number], { value: number }>(
      'insert into counters values (?, ?) on conflict do update set value = value + excluded.value returning value',
    ),
    dropCounter: database.prepare('delete from counters where name = ?'),
    counters: database.prepare<unknown[], { name: string; value: number }>(
      'select name, value from counters where name >= @from and name < @to order by name',
    ),
    next: database.prepare<[string, number], { last: number }>(
      'insert into sequences values (?, ?) on conflict do update set last = last + excluded.last returning last',
    ),
    endSequence: database.prepare('update sequences set last = ? where name = ?'),
  };
}

/** Leases that outlive the server. */
function ofLeases(database: Database.Database) {
  return {
    keepLease: database.prepare(
      'insert or replace into leases values (@item, @token, @worker, @started, @body)',
    ),
    dropLease: database.prepare('delete from leases where item = ?'),
    dropLeaseOf: database.prepare('delete from leases where token = ?'),
    leases: database.prepare<unknown[], LeaseRow>('select token, worker, started, body from leases'),
  };
}

/** The quarantine of data that cannot be read. */
function ofQuarantine(database: Database.Database) {
  return {
    quarantine: database.prepare(
      `insert into quarantine select a.kind, a.id, @reason, @at, json_object(
         'schema', a.schema, 'version', a.version, 'snapshot', a.snapshot,
         'record', @record,
         'rows', json((select json_group_object(key, body) from actor_rows r where r.kind = a.kind and r.id = a.id)),
         'notices', json((select json_group_object(o.id, o.body) from outbox o where o.kind = a.kind and o.actor = a.id)))
       from actors a where a.kind = @kind and a.id = @id 
         and a.version = ifnull(@version, a.version) and a.commit_id = ifnull(@commit, a.commit_id)`,
    ),
    quarantineLease: database.prepare(
      `insert into quarantine select 'lease', item, 'What is stored of a lease cannot be read.', @at, json_object('token', token, 'worker', worker, 'body', body)
       from leases where token = @token`,
    ),
  };
}

const LAST_CHARACTER = 0x10ffff;
/** Between these two are the surrogates, which are not characters. */
const [BEFORE_HALVES, AFTER_HALVES] = [0xd7ff, 0xe000];

/** The smallest value that is greater than every text that starts with `prefix`. */
export function prefixEnd(prefix: string): string | Buffer {
  const characters = Array.from(prefix);
  for (;;) {
    const last = characters.pop()?.codePointAt(0);
    // In SQLite, every blob is greater than every text.
    if (last === undefined) return Buffer.alloc(0);
    const next = last === BEFORE_HALVES ? AFTER_HALVES : last + 1;
    if (last < LAST_CHARACTER) return characters.join('') + String.fromCodePoint(next);
  }
}
