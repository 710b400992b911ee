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
  // Notices and counters. Jobs of the first version are counted and entered into the indexes that it did not know; one that cannot be
  // read is passed over, so that it does not keep the server from starting: it goes into quarantine when its actor is loaded.
  `create table outbox (
     id text primary key, destination text not null, due real not null, kind text not null, actor text not null,
     body text not null) strict, without rowid;
   create index outbox_by_destination on outbox (destination, due, id);
   create index outbox_by_actor on outbox (kind, actor);
   create table counters (name text primary key, value integer not null) strict, without rowid;
   create temp table seen as
     select a.kind, a.id, json_extract(r.body, '$.number') as number, json_extract(r.body, '$.plan.name') as pipeline,
       json_extract(a.snapshot, '$.state.status') as status,
       coalesce(json_extract(a.snapshot, '$.state.endedAt'), json_extract(a.snapshot, '$.state.startedAt')) as ended,
       max(0, coalesce(json_extract(a.snapshot, '$.state.endedAt') - json_extract(a.snapshot, '$.state.startedAt'), 0)) as ms
     from actors a join records r on r.kind = a.kind and r.id = a.id
     where a.kind = 'batch-job' and json_valid(a.snapshot) and json_valid(r.body);
   delete from seen where number is null or pipeline is null or status is null or ended is null;
   insert into counters select 'jobs/' || pipeline || '/' || status, count(*) from seen group by 1;
   insert into counters select 'job-ms/' || pipeline, cast(sum(ms) as integer) from seen
     where status = 'COMPLETE' group by 1 having sum(ms) <> 0;
   insert into entries select 'job-ms/' || pipeline, ms, kind, id from seen where status = 'COMPLETE';
   insert into entries select 'jobs-of-status/' || status, number, kind, id from seen;
   insert into entries select 'jobs-of-pipeline/' || pipeline, number, kind, id from seen;
   insert into entries select 'ended-jobs', ended, kind, id from seen
     where status in ('COMPLETE', 'COMPLETE_WITH_WARNINGS', 'CANCELLED', 'CANCELLED_BY_SHUTDOWN', 'ERROR');
   drop table seen;`,
  // Where the data folder was when the database was opened last.
  `create table places (name text primary key, path text not null) strict, without rowid;`,
  // Leases of workers that outlive the server.
  `create table leases (
     item text primary key, token text not null, worker text not null, started real not null, body text not null) strict, without rowid;`,
  // Where it was ever before: documents that were written there name their files by that place.
  `create table former_places (folder text not null, real text not null, primary key (folder, real)) strict, without rowid;`,
  // Jobs by the time of their start and by their external id. Those that another index has are readable and not removed.
  `create temp table listed as
     select a.kind, a.id, e.score as number, json_extract(a.snapshot, '$.state.startedAt') as started,
       json_extract(r.body, '$.externalId') as external
     from entries e join actors a on a.kind = e.kind and a.id = e.id join records r on r.kind = e.kind and r.id = e.id
     where e.name = 'batch-jobs' and e.kind = 'batch-job' and json_valid(a.snapshot) and json_valid(r.body);
   insert into entries select 'started-jobs', started, kind, id from listed where typeof(started) in ('integer', 'real');
   insert into entries select 'jobs-of-external-id/' || external, number, kind, id from listed where typeof(external) = 'text';
   drop table listed;`,
  // The commit that wrote an actor; of those of before, its version is all that is known.
  `alter table actors add column commit_id text not null default '';`,
  // What many records have in common, with the number of those that have it, and which parts a record has (name:hash,name:hash...). Records
  // of before are whole and have none: whoever reads records in a later step finds both.
  `create table parts (hash text primary key, users integer not null, body text not null) strict;
   alter table records add column parts text not null default '';`,
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
