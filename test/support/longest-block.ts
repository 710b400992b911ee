const EVERY_MS = 20;

/** The longest time for which this process computed without looking at anything else, since it was last asked: milliseconds. */
export function measureBlocks(): () => number {
  let longest = 0;
  let last = performance.now();
  let cpu = process.cpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    // On a busy machine a process also waits for its turn, which is no fault of its own.
    longest = Math.max(longest, Math.min(now - last - EVERY_MS, (user + system) / 1_000));
    last = now;
    cpu = process.cpuUsage();
  }, EVERY_MS).unref();
  return () => {
    const seen = longest;
    longest = 0;
    return seen;
  };
}
