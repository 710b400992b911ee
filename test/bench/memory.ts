/**
 * Memory of a process as reported by Linux. Unlike in getrusage, the peak of the parent does not count for a
 * child.
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Process = number | 'self';
const MIB = 1024 * 1024;

export const residentBytes = (process: Process): number => statusBytes(process, 'VmRSS');

/** Resident memory that is not mapped from files, in bytes. */
export const anonymousBytes = (process: Process): number => statusBytes(process, 'RssAnon');

/**
 * Proportional set size in bytes: shared pages count in parts for each process, so the sum over processes is
 * correct.
 */
export function proportionalBytes(process: Process): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`/proc/${process}/smaps_rollup does not tell Pss.`);
  return Number(kib) * 1024;
}

/** Peak resident memory in bytes since the start of the process or `forgetPeak`. */
export const peakBytes = (process: Process): number => statusBytes(process, 'VmHWM');

/** Resets the peak to the current resident memory. */
export function forgetPeak(process: Process): void {
  writeFileSync(`/proc/${process}/clear_refs`, '5');
}

export const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

function statusBytes(process: Process, name: string): number {
  const status = readFileSync(`/proc/${process}/status`, 'utf8');
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`/proc/${process}/status does not tell ${name}.`);
  return Number(kib) * 1024;
}
