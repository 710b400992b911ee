import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { formerPlaces, settleAt, type Place } from './place.ts';
import { prepareSchema } from './schema.ts';

/**
 * Pages of the log (4 KiB each) that are moved to the database file at a time. This blocks the event loop for two syncs. A page that
 * was written several times meanwhile is moved once.
 */
const LOG_PAGES = 4_000;

export interface OpenedDatabase {
  readonly database: Database.Database;
  /** The previous data folder, if it was moved since the database was last opened. */
  readonly movedFrom: Place | undefined;
  /** All earlier places of the data folder. */
  readonly formerPlaces: readonly Place[];
}

/**
 * Opens or creates `file`, in the data folder at `place`, for this process alone.
 * @throws Error if another process holds the file, or the file has another format
 */
export function openDatabase(file: string, place: Place | undefined): OpenedDatabase {
  mkdirSync(path.dirname(file), { recursive: true });
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('begin exclusive; commit');
    prepareSchema(database);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    if (place === undefined) return { database, movedFrom: undefined, formerPlaces: [] };
    const movedFrom = settleAt(database, place);
    return { database, movedFrom, formerPlaces: formerPlaces(database, place) };
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new Error(`${file} is in use by another process: one server holds a data folder.`, {
        cause: error,
      });
    throw error;
  }
}

/** Copies a database that no server holds to a new file. @throws Error if a server holds it */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new Database(from, { fileMustExist: true, timeout: 0 });
  try {
    await database.backup(to);
  } finally {
    database.close();
  }
}
