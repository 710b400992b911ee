/** The files by which tools on a machine find the servers of a data folder: `lock`, or one for each of several servers that share it. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const LOCK = 'lock';

/** @param server names a start of a server that shares the folder; undefined: it has the folder for itself */
export const lockFile = (dataDir: string, server?: string): string =>
  path.join(dataDir, server === undefined ? LOCK : `${LOCK}.${server}`);

/** Those that are there, the newest first. */
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

/** It is of one of several servers that share the folder, perhaps from other hosts. */
export const isShared = (file: string): boolean => path.basename(file) !== LOCK;
