import type { Database } from 'better-sqlite3';
import { pathToFileURL } from 'node:url';
import { hashOf } from '../shared-parts.ts';

/** The data folder: its configured path, and its path without symbolic links. */
export interface Place {
  readonly folder: string;
  readonly real: string;
}

/** Columns with JSON texts that contain paths of the data folder. */
const TEXTS = [
  ['actors', 'snapshot'],
  ['records', 'body'],
  ['actor_rows', 'body'],
  ['outbox', 'body'],
] as const;

/**
 * Paths below the data folder are stored as they are. When the database is opened in another place (the folder was moved, or this is a
 * restored copy), this function rewrites them once. Returns the previous place if it differs.
 */
export function settleAt(database: Database, place: Place): Place | undefined {
  const before = rememberedPlace(database);
  if (before?.folder === place.folder && before.real === place.real) return undefined;
  database.transaction(() => {
    if (before !== undefined) rewrite(database, replacements(before, place));
    const remember = database.prepare('insert or replace into places values (?, ?)');
    const former = database.prepare('insert or ignore into former_places values (?, ?)');
    if (before !== undefined) former.run(before.folder, before.real);
    remember.run('folder', place.folder);
    remember.run('real', place.real);
  })();
  return before;
}

/** Returns all earlier places of the data folder, without the current one. */
export function formerPlaces(database: Database, today: Place): readonly Place[] {
  return database
    .prepare<[], Place>('select folder, real from former_places')
    .all()
    .filter(({ folder, real }) => folder !== today.folder || real !== today.real);
}

function rememberedPlace(database: Database): Place | undefined {
  const find = database.prepare<[string], { path: string }>('select path from places where name = ?');
  const folder = find.get('folder')?.path;
  return folder === undefined ? undefined : { folder, real: find.get('real')!.path };
}

/** Paths of uploads use the real path, and all others use the configured path. */
function replacements(from: Place, to: Place): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const below = (before: string, after: string) => {
    for (const [start, write] of [
      ['"', inJson],
      ['', (folder: string) => inJson(pathToFileURL(folder).href)],
    ] as const) {
      const text = `${start}${write(before)}/`;
      if (!pairs.has(text)) pairs.set(text, `${start}${write(after)}/`);
    }
  };
  below(`${from.real}/uploads`, `${to.real}/uploads`);
  below(from.folder, to.folder);
  below(from.real, to.real);
  return pairs.set(`"${inJson(from.real)}"`, `"${inJson(to.real)}"`);
}

function rewrite(database: Database, pairs: ReadonlyMap<string, string>): void {
  const pattern = new RegExp([...pairs.keys()].map(escapeText).join('|'), 'g');
  const moveText = (text: unknown) => String(text).replace(pattern, (found) => pairs.get(found) ?? found);
  database.function('moved_to', { deterministic: true }, moveText);
  for (const [table, column] of TEXTS)
    database.exec(
      `update ${table} set ${column} = moved_to(${column}) where ${column} <> moved_to(${column})`,
    );
  rewriteParts(database);
}

/** A part is identified by the hash of its text, so a rewritten part gets another hash. A part with the old text may be stored again. */
function rewriteParts(database: Database): void {
  database.function('hash_of', { deterministic: true }, (text: unknown) => hashOf(String(text)));
  database.exec(
    `create temp table moved_parts as
       select hash as before, hash_of(moved_to(body)) as hash, users, moved_to(body) as body
       from parts where body <> moved_to(body);
     delete from parts where hash in (select before from moved_parts);
     insert into parts (hash, users, body) select hash, sum(users), body from moved_parts where true group by hash
       on conflict do update set users = users + excluded.users;`,
  );
  const pairs = database.prepare<[], [string, string]>('select before, hash from moved_parts').raw().all();
  database.exec('drop table moved_parts');
  if (pairs.length === 0) return;
  const now = new Map(pairs);
  const renamePart = (parts: unknown) =>
    String(parts).replace(/(?<=:)[^,]+/g, (hash) => now.get(hash) ?? hash);
  database.function('renamed', { deterministic: true }, renamePart);
  database.exec('update records set parts = renamed(parts) where parts <> renamed(parts)');
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
