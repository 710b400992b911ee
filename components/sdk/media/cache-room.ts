/** The content of the folder of fetched media, and what of it is removed. */
import { constants } from 'node:fs';
import { copyFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** As other SDKs name what they have fetched, so that all share it. */
const MEDIUM = /^[\da-f]{64}$/;
/** Ending of what is on its way. */
export const PART = '.part';
/** Ending of the name under which a process reads a medium. */
export const IN_USE = '.use';
/** A fetching process touches its lock every second. The process of an older lock has died. */
export const DEAD_MS = 10_000;
/** Who reads a medium touches the name under which he does so often. */
const TOUCH_MS = 30_000;
/**
 * A name in use that was not touched for so long is that of a process that died. The number of the process would not tell: containers
 * that share a folder have numbers of their own, and a number is given to another process later.
 */
const UNUSED_MS = 120_000;
/** A part that nobody has written to for so long is of no use any more. */
const LEFT_MS = 3_600_000;

export async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** Keeps a name in use until it is closed, which removes it. */
export function inUse(path: string, touchMs = TOUCH_MS): () => Promise<void> {
  const touching = setInterval(() => void touch(path), touchMs);
  return () => {
    clearInterval(touching);
    return rm(path, { force: true });
  };
}

/** Whether the holder of this lock has died; false for a removed lock. */
export async function isDead(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs >= DEAD_MS;
}

/** Removes the lock of a dead process, renamed to `aside` first. False: its process lives. */
export async function takeDeadLock(lock: string, aside: string): Promise<boolean> {
  try {
    await rename(lock, aside);
  } catch (error) {
    // Another process has taken it away.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  // Since the look another process may have taken the dead one away and made its own: that is put back.
  const wasDead = await isDead(aside);
  if (!wasDead) await copyFile(aside, lock, constants.COPYFILE_EXCL).catch(() => undefined);
  await rm(aside, { force: true });
  return wasDead;
}

/** Removes media until so many bytes fit. Processes that use a removed medium keep it under their own names. */
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

/** Of a process that died: its uses and its parts, once nobody goes on with them. */
function isLeft(name: string, { mtimeMs, ctimeMs }: { readonly mtimeMs: number; readonly ctimeMs: number }) {
  if (name.endsWith(IN_USE)) return Date.now() - mtimeMs > UNUSED_MS;
  return name.endsWith(PART) && Date.now() - ctimeMs > LEFT_MS;
}
