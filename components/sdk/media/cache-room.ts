/** The folder of fetched media: the names of its files, and which files are deleted. */
import { constants } from 'node:fs';
import { copyFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** File name of a medium. Other SDKs use the same names, so that all share the files. */
const MEDIUM = /^[\da-f]{64}$/;
/** Extension of incomplete files. */
export const PART = '.part';
/** Extension of the name under which a process reads a medium. */
export const IN_USE = '.use';
/** Age from which a lock is dead. A fetching process touches its lock every second. */
export const DEAD_MS = 10_000;
/** Interval in milliseconds at which a reading process touches the name of its medium. */
const TOUCH_MS = 30_000;
/**
 * Age in milliseconds from which a name in use belongs to a dead process. The process number is no proof: containers that share a folder
 * have their own numbers, and numbers are reused.
 */
const UNUSED_MS = 120_000;
/** Age in milliseconds from which an incomplete file is deleted. */
const LEFT_MS = 3_600_000;

export async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** Keeps a name in use until the returned function is called, which deletes it. */
export function inUse(path: string, touchMs = TOUCH_MS): () => Promise<void> {
  const touching = setInterval(() => void touch(path), touchMs);
  return () => {
    clearInterval(touching);
    return rm(path, { force: true });
  };
}

/** True if the holder of this lock is dead. False if the lock is gone. */
export async function isDead(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs >= DEAD_MS;
}

/** Deletes the lock of a dead process, after renaming it to `aside`. False if its process is alive. */
export async function takeDeadLock(lock: string, aside: string): Promise<boolean> {
  try {
    await rename(lock, aside);
  } catch (error) {
    // Another process has deleted the lock.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  // Since the check, another process may have replaced the dead lock by its own. Such a lock is restored.
  const wasDead = await isDead(aside);
  if (!wasDead) await copyFile(aside, lock, constants.COPYFILE_EXCL).catch(() => undefined);
  await rm(aside, { force: true });
  return wasDead;
}

/** Deletes media until this number of bytes fits. Processes that use a deleted medium keep it under their own names. */
export async function makeRoom(
  { folder, maxBytes }: { readonly folder: string; readonly maxBytes: number },
  coming: number,
): Promise<void> {
  const kept: { path: string; bytes: number; used: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) continue;
    if (MEDIUM.test(name)) kept.push({ path, bytes: found.size, used: found.mtimeMs });
    else if (isLeft(name, found)) await rm(path, { force: true });
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, coming);
  for (const { path, bytes } of kept.toSorted((a, b) => a.used - b.used)) {
    if (total <= maxBytes) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}

/** True for files of dead processes: names in use, and incomplete files that no process continues. */
function isLeft(name: string, { mtimeMs, ctimeMs }: { readonly mtimeMs: number; readonly ctimeMs: number }) {
  if (name.endsWith(IN_USE)) return Date.now() - mtimeMs > UNUSED_MS;
  return name.endsWith(PART) && Date.now() - ctimeMs > LEFT_MS;
}
