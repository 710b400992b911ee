/** Processes as the system sees them. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Node 22 and later know no such budget, and end at an option that they do not know. */
const BUDGET = Number.parseInt(process.versions.node) < 22 ? ['--interrupt-budget=400000'] : [];

/**
 * Options for processes of Node.js that live for seconds. Half of what a server computes in a short life would be to make fast code of
 * functions that are called a few times more. With this budget (V8 counts bytes of bytecode) only what is called really often is worth
 * it. And a tenth would be to collect garbage again and again until the space for new objects has grown to the 16 MB that it may have
 * in any case.
 */
export const SHORT_LIFE: readonly string[] = [...BUDGET, '--min-semi-space-size=16'];

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
