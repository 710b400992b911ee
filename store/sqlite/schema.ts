/** The tables of the database, and the number of their format. */
import type { Database } from 'better-sqlite3';
import { otherFormat, STORED_FORMAT } from '../stored-format.ts';

const TABLES = `
  create table format (version integer not null) strict;
  create table actors (
    kind text not null, id text not null, version integer not null, server text not null, epoch integer not null,
    schema integer not null, snapshot text not null, commit_id text not null, primary key (kind, id)) strict;
  -- parts: what the record has in common with others, as name:hash,name:hash.
  create table records (
    kind text not null, id text not null, body text not null, parts text not null, primary key (kind, id)) strict;
  -- users: how many records have the part.
  create table parts (hash text primary key, users integer not null, body text not null) strict;
  create table actor_rows (
    kind text not null, id text not null, key text not null, body text not null,
    primary key (kind, id, key)) strict, without rowid;
  create table entries (
    name text not null, score real not null, kind text not null, id text not null,
    primary key (name, score, id, kind)) strict, without rowid;
  create unique index entries_by_actor on entries (kind, id, name);
  create table outbox (
    id text primary key, destination text not null, due real not null, kind text not null, actor text not null,
    body text not null) strict, without rowid;
  create index outbox_by_destination on outbox (destination, due, id);
  create index outbox_by_actor on outbox (kind, actor);
  create table counters (name text primary key, value integer not null) strict, without rowid;
  create table sequences (name text primary key, last integer not null) strict, without rowid;
  -- Leases of workers that outlive the server.
  create table leases (
    item text primary key, token text not null, worker text not null, started real not null, body text not null) strict, without rowid;
  create table quarantine (
    kind text not null, id text not null, reason text not null, at text not null, body text not null) strict;
  -- Where the data folder was when the database was opened last, and where it was ever before.
  create table places (name text primary key, path text not null) strict, without rowid;
  create table former_places (folder text not null, real text not null, primary key (folder, real)) strict, without rowid;
  insert into format values (${STORED_FORMAT});`;

/** Creates the tables in an empty database. @throws Error if the database has another format, and leaves it unchanged */
export function prepareSchema(database: Database): void {
  const format = formatOf(database);
  if (format === undefined) database.transaction(() => database.exec(TABLES))();
  else if (format !== STORED_FORMAT)
    throw otherFormat({
      what: `The database ${database.name}`,
      format,
      anew: 'Set DATA_DIR to an empty folder',
    });
}

/** Returns undefined if the database is empty. */
function formatOf(database: Database): number | string | undefined {
  const tables = database
    .prepare<[], string>(`select name from sqlite_master where type = 'table'`)
    .pluck()
    .all();
  if (tables.includes('format'))
    return database.prepare<[], number>('select version from format').pluck().get();
  return tables.length === 0
    ? undefined
    : `schema ${Number(database.pragma('user_version', { simple: true }))}`;
}
