/** Deletes files and folders. */
import { existsSync, lstatSync, opendirSync, type Dir } from 'node:fs';
import { readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PART } from './part-file.ts';

/** A folder with at most this many files and folders is deleted entry by entry. */
const FEW = 8;

/** Deletes a folder with its content. Does nothing if it does not exist. */
export async function removeFolder(folder: string): Promise<void> {
  const few = fewBelow(folder);
  // Most jobs have only some of their folders. A check is much cheaper than deleting a missing folder.
  if (few === 'none') return;
  if (few === 'many' || !(await areRemoved([...few, { path: folder, isFolder: true }])))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

interface Below {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Returns false if an entry was added or deleted meanwhile. */
async function areRemoved(entries: readonly Below[]): Promise<boolean> {
  try {
    for (const { path, isFolder } of entries) await (isFolder ? rmdir(path) : unlink(path));
    return true;
  } catch {
    return false;
  }
}

/** All entries below a folder, children first, if there are only a few. */
function fewBelow(folder: string, depth = 1): readonly Below[] | 'many' | 'none' {
  if (depth > FEW) return 'many';
  let entries: Dir;
  try {
    entries = opendirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'many';
  }
  const found: Below[] = [];
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const path = join(folder, entry.name);
      const below = entry.isDirectory() ? fewBelow(path, depth + 1) : [];
      if (typeof below === 'string') return 'many';
      found.push(...below, { path, isFolder: entry.isDirectory() });
      if (found.length > FEW) return 'many';
    }
    return found;
  } finally {
    entries.closeSync();
  }
}

/** Deletes all files below a folder except those to keep. Does nothing if the folder does not exist. Paths are absolute. */
export function removeOthers(folder: string, isKept: (path: string) => boolean): Promise<void> {
  return removeFiles(folder, (path) => !isKept(path));
}

/** Deletes part files below a folder: a killed process leaves the file that it was writing. */
export function removeParts(folder: string): Promise<void> {
  return removeFiles(folder, (path) => path.endsWith(PART));
}

async function removeFiles(folder: string, goes: (path: string) => boolean): Promise<void> {
  // Most jobs have only some of their folders; see `removeFolder`.
  if (!existsSync(folder)) return;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing([]));
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && goes(path)) await rm(path, { force: true });
  }
}

const ifMissing =
  <T>(missing: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing;
    throw error;
  };

/** Deletes one file. Does nothing if it does not exist. */
export async function removeFile(path: string): Promise<void> {
  // A check is much cheaper than deleting a missing file.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    await unlink(path).catch(ifMissing(undefined));
}
