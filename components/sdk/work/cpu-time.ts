/** CPU time of this process and of its helper processes. */

/** CPU time of other processes in milliseconds. */
let ofOthers = 0;

/** Adds CPU time in milliseconds that another process used for this one. */
export function addCpuTime(ms: number): void {
  ofOthers += ms;
}

/** Returns a function for the CPU time since now, in milliseconds of all threads. */
export function cpuClock(): () => number {
  const start = cpuTime();
  return () => Math.max(0, cpuTime() - start);
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + ofOthers;
}
