/** Processes as the system sees them. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** False for a process that has ended, also when nobody has taken note of its end yet. */
export function isAlive({ pid }: { readonly pid?: number | undefined }): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** The exit code of a child, or the signal that ended it. */
export function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const { exitCode, signalCode } = child;
  if (exitCode !== null || signalCode !== null) return Promise.resolve(signalCode ?? exitCode ?? -1);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code ?? -1)));
}
