/** CPU time of this process and of its helper processes. */

/** Milliseconds that other processes reported. */
let ofOthers = 0;

/** A process that this one has work done in used so much more CPU time: milliseconds. */
export function addCpuTime(ms: number): void {
  ofOthers += ms;
}

/** Tells the CPU time since now: milliseconds, of all threads together. */
export function cpuClock(): () => number {
  const start = cpuTime();
  return () => Math.max(0, cpuTime() - start);
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + ofOthers;
}
