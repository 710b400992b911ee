import { readFileSync } from 'node:fs';

/** Milliseconds between two looks: in that time a process takes some hundred megabytes at most. */
const EVERY_MS = 250;
const KIB = 1024;

/** Bytes of memory that a process has; undefined where the system does not tell, or when it is gone. */
export function residentMemory(pid: number): number | undefined {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kib === undefined ? undefined : Number(kib) * KIB;
  } catch {
    return undefined;
  }
}

/** Tells once when a process has more than `most` bytes; the answer ends the watch. */
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
