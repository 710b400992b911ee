/** Lock files by which tools on a machine find the servers of a data folder: `lock`, or one file for each server that shares the folder. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const LOCK = 'lock';

/** @param server id of a server process that shares the folder; undefined if the server does not share it */
export const lockFile = (dataDir: string, server?: string): string =>
  path.join(dataDir, server === undefined ? LOCK : `${LOCK}.${server}`);

/** Existing lock files, the newest first. */
export function lockFiles(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir)
      .filter((name) => name === LOCK || name.startsWith(`${LOCK}.`))
      .map((name) => path.join(dataDir, name))
      .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .toSorted((a, b) => b.at - a.at)
      .map(({ file }) => file);
  } catch {
    return []; // no data folder
  }
}

/** True if the lock file belongs to one of several servers that share the folder, perhaps from other hosts. */
export const isShared = (file: string): boolean => path.basename(file) !== LOCK;
