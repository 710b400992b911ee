/** Processes of the operating system. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Node 22 and later do not have this option, and refuse unknown options. */
const BUDGET = Number.parseInt(process.versions.node) < 22 ? ['--interrupt-budget=400000'] : [];

/**
 * Options for processes of Node.js that live for seconds. Without them, such a server spends half of its CPU time on optimizing functions
 * that are rarely called again, and a tenth on garbage collections until the space for new objects has 16 MB. The budget is in bytes of
 * bytecode: V8 optimizes only functions that run more than this.
 */
export const SHORT_LIFE: readonly string[] = [...BUDGET, '--min-semi-space-size=16'];

/** False for a process that has ended, even if it is still a zombie. */
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
