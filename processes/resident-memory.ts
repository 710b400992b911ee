import { readFileSync } from 'node:fs';

/** Milliseconds between two checks. Meanwhile a process can allocate some hundred megabytes. */
const EVERY_MS = 250;
const KIB = 1024;

/** Resident memory of a process in bytes. Undefined if the system does not report it, or if the process has ended. */
export function residentMemory(pid: number): number | undefined {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kib === undefined ? undefined : Number(kib) * KIB;
  } catch {
    return undefined;
  }
}

/** Calls `onExceeded` once, when a process has more than `most` bytes. The returned function ends the watch. */
export function watchMemory(pid: number, most: number, onExceeded: (bytes: number) => void): () => void {
  const timer = setInterval(() => {
    const bytes = residentMemory(pid);
    if (bytes === undefined || bytes <= most) return;
    clearInterval(timer);
    onExceeded(bytes);
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
