/** Memory of a process as Linux counts it. What a parent had does not count for its child here, as it does in getrusage. */
import { readFileSync, writeFileSync } from 'node:fs';

type Process = number | 'self';
const MIB = 1024 * 1024;

/** Resident memory now, in bytes. */
export const residentBytes = (process: Process): number => statusBytes(process, 'VmRSS');

/** Resident memory that is not mapped from files, in bytes. */
export const anonymousBytes = (process: Process): number => statusBytes(process, 'RssAnon');

/** Resident memory in bytes, where pages that several processes share count for each by its part: the sum is what all of them take. */
export function proportionalBytes(process: Process): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`/proc/${process}/smaps_rollup does not tell Pss.`);
  return Number(kib) * 1024;
}

/** The most that was ever resident since the process began, or since `forgetPeak`, in bytes. */
export const peakBytes = (process: Process): number => statusBytes(process, 'VmHWM');

/** The peak counts anew from what is resident now. */
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
