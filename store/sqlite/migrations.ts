import type { Database } from 'better-sqlite3';

/** One step per entry; a database holds the number of steps it has seen in `user_version`. Steps are never edited, only added. */
const STEPS: readonly string[] = [
  `create table actors (
     kind text not null, id text not null, version integer not null, server text not null, epoch integer not null,
     schema integer not null, snapshot text not null, primary key (kind, id)) strict;
   create table records (kind text not null, id text not null, body text not null, primary key (kind, id)) strict;
   create table actor_rows (
     kind text not null, id text not null, key text not null, body text not null,
     primary key (kind, id, key)) strict, without rowid;
   create table entries (
     name text not null, score real not null, kind text not null, id text not null,
     primary key (name, score, id, kind)) strict, without rowid;
   create unique index entries_by_actor on entries (kind, id, name);
   create table sequences (name text primary key, last integer not null) strict, without rowid;
   create table quarantine (
     kind text not null, id text not null, reason text not null, at text not null, body text not null) strict;`,
];

/** Brings a database up to date, one transaction a step. Throws when it was written by a newer version. */
export function migrate(database: Database): void {
  const seen = Number(database.pragma('user_version', { simple: true }));
  if (seen > STEPS.length)
    throw new Error(
      `The database was written by a newer version of Troupe (schema ${seen}, this version knows ${STEPS.length}). Start that version, or another DATA_DIR.`,
    );
  for (let step = seen; step < STEPS.length; step++)
    database.transaction(() => {
      database.exec(STEPS[step]!);
      database.pragma(`user_version = ${step + 1}`);
    })();
}
