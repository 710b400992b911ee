import Database from 'better-sqlite3';

/** Version of the tables below. A file with another version is rebuilt. */
const SCHEMA = 8;

/** State of a job in the index: being stored, completely stored, or deleted. */
export const FILLING = 0;
export const WHOLE = 1;
export const GONE = 2;

/**
 * Tables of the index. Tracks of a document have consecutive numbers, so that a job is a range of them. Texts are in `tracks`, their words
 * in `words`, and the vectors of a model in a space of their own. A row of `vectors` and `hashes` has the id of its track.
 */
const TABLES = `
  create table meta (name text primary key, value text not null) strict, without rowid;
  create table jobs (
    id integer primary key, number integer not null, run integer not null, job_id text not null, external_id text,
    user text, user_group text, ended_at real not null, state integer not null, first integer not null, last integer not null,
    stream text, created_at real) strict;
  create index jobs_of_streams on jobs (number, run) where stream is not null;
  create index jobs_by_number on jobs (number);
  create index jobs_by_end on jobs (state, ended_at);
  create index jobs_by_user on jobs (user, ended_at);
  create index jobs_by_group on jobs (user_group, ended_at);
  create table media (
    job integer not null, place integer not null, media_id integer not null, uri text not null, type text not null,
    mime_type text not null, own integer not null, length real not null, duration_ms real, width real, height real,
    frame real, findings text not null, boxes text not null, picture text, name text not null, number integer not null,
    primary key (job, place)) strict, without rowid;
  create index media_by_name on media (name, number desc, place) where own = 1;
  create index media_by_length on media (coalesce(duration_ms, 0) desc, length desc, number desc, place) where own = 1;
  create table labels (job integer not null, label text not null, primary key (job, label)) strict, without rowid;
  create table findings (
    job integer not null, place integer not null, type text not null, class text not null,
    primary key (job, place, type, class)) strict, without rowid;
  create index findings_by_type on findings (type, class, job);
  create table finders (
    id integer primary key, task text not null, action text not null, algorithm text not null,
    unique (task, action, algorithm)) strict;
  create table tracks (
    id integer primary key autoincrement, job integer not null, medium integer not null, finder integer not null,
    track_id text not null, type text not null, class text, text text not null, word_count integer not null,
    start_frame real not null, stop_frame real not null, start_ms real not null, stop_ms real not null,
    page_kind text, page text, confidence real not null, colour text, exemplar text) strict;
  create index tracks_by_track_id on tracks (track_id);
  create table spaces (
    id integer primary key, model text not null, dimension integer not null, unique (model, dimension)) strict;
  create table vectors (id integer primary key, space integer not null, vector blob not null) strict;
  create index vectors_by_space on vectors (space);
  create table hashes (id integer primary key, hash text not null) strict;
  create virtual table words using fts5 (
    text, facets, content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2');
  insert into meta values ('mark', '"begun"'), ('key', lower(hex(randomblob(4))));
  pragma user_version = ${SCHEMA};`;

/** Opens or creates the file. @throws SqliteError if the file cannot be read */
export function openForWriting(file: string): Database.Database {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    const version = Number(database.pragma('user_version', { simple: true }));
    if (version === 0) database.transaction(() => database.exec(TABLES))();
    else if (version !== SCHEMA) throw new WrongVersion(`The index is of version ${version}.`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Page cache of a read-only connection: KiB. The default is 16 MB, but the system caches the same pages. */
const CACHE_KIB = 2_000;

export function openForReading(file: string): Database.Database {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma(`cache_size = -${CACHE_KIB}`);
  return database;
}

/** Maximum number of cached statements per database. */
const MOST_STATEMENTS = 100;
const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/**
 * Returns a cached statement. The native memory of a statement is large, but its object is small, so the garbage collector frees it late. A
 * new statement for each query would fill the memory.
 */
export function statementOf<P extends unknown[], R>(
  database: Database.Database,
  text: string,
): Database.Statement<P, R> {
  const known = statements.get(database) ?? new Map<string, Database.Statement>();
  statements.set(database, known);
  const statement = known.get(text) ?? database.prepare(text);
  known.delete(text);
  known.set(text, statement);
  if (known.size > MOST_STATEMENTS) known.delete(known.keys().next().value!);
  return statement as Database.Statement<P, R>;
}

/** Returns the key of the file, which differs from that of any deleted file. */
export const keyOf = (database: Database.Database): string =>
  database.prepare<[], { value: string }>("select value from meta where name = 'key'").get()!.value;

/** The index belongs to another version of the product. */
export class WrongVersion extends Error {
  override readonly name = 'WrongVersion';
}

/** True if the file itself is damaged and must be rebuilt. */
export const isBroken = (error: unknown): boolean =>
  error instanceof WrongVersion ||
  (error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code));
