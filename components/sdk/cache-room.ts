/** What lies in the folder of fetched media, and what of it goes. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** As other SDKs name what they have fetched, so that all share it. */
const MEDIUM = /^[\da-f]{64}$/;
/** Ending of what is on its way. */
export const PART = '.part';
/** Ending of the name under which a process reads a medium. */
export const IN_USE = '.use';
/** Who fetches touches the lock every second: one that was not touched for so long is that of a process that died. */
export const DEAD_MS = 10_000;
/** What nobody has written to for so long is of no use any more. */
const LEFT_MS = 3_600_000;

/** Until so much more fits in; what is in use under other names stays for those who use it. */
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
    else if (isLeft(name, found.ctimeMs)) await rm(path, { force: true });
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, coming);
  for (const { path, bytes } of kept.toSorted((a, b) => a.used - b.used)) {
    if (total <= maxBytes) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}

/** Of a process that died: its uses and its parts, once nobody goes on with them. */
function isLeft(name: string, changed: number): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  if (name.endsWith(IN_USE)) return Date.now() - changed > DEAD_MS && !isAlive(pid);
  return name.endsWith(PART) && Date.now() - changed > LEFT_MS;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
