import { existsSync, readFileSync } from 'node:fs';

const EVERY_MS = 20;

/**
 * The longest time for which the thread of this process's event loop computed without looking at anything else, since it was last
 * asked: milliseconds of its own processor time. What it waits for its turn on a busy machine is no fault of its own, and neither is
 * what its other threads compute.
 */
export function measureBlocks(): () => number {
  let longest = 0;
  let computed = threadMs();
  setInterval(() => {
    const now = threadMs();
    longest = Math.max(longest, now - computed);
    computed = now;
  }, EVERY_MS).unref();
  return () => {
    const seen = longest;
    longest = 0;
    return seen;
  };
}

const SCHEDULED = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of the main thread, which has the number of its process; without such files that of all threads. */
function threadMs(): number {
  if (!existsSync(SCHEDULED)) return process.cpuUsage().user / 1_000;
  const [nanoseconds] = readFileSync(SCHEDULED, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
