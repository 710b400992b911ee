/** Shared by benchmarks: medians, interleaved rounds, processor time, and a table. */
import { readFileSync } from 'node:fs';

export interface Figure {
  readonly what: string;
  readonly value: string;
  readonly aim?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs each variant once per round, alternately, so that other load affects all of them. Returns medians. */
export async function runInterleaved<K extends string>(
  rounds: number,
  variants: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number>> {
  const names = Object.keys(variants) as K[];
  const seen = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of names) seen[name].push(await variants[name]());
  return Object.fromEntries(names.map((name) => [name, median(seen[name])])) as Record<K, number>;
}

/** Wall-clock time of `work` in milliseconds. */
export async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Processor time of a process so far (user and system) in milliseconds. The resolution on Linux is 10 ms. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same for its existing child processes. */
export function cpuMsOfChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? 0 : children.split(' ').reduce((sum, child) => sum + cpuMsOf(Number(child)), 0);
}

export const round = (value: number, digits = 0) =>
  value.toLocaleString('en', { maximumFractionDigits: digits, useGrouping: true });

export function print(figures: readonly Figure[]): void {
  console.log('| what | measured | aim |\n|---|---|---|');
  for (const { what, value, aim } of figures) console.log(`| ${what} | ${value} | ${aim ?? ''} |`);
}
