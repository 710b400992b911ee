import { existsSync, readFileSync } from 'node:fs';

const EVERY_MS = 20;

/**
 * The longest block of the event loop of this process since the last call, in milliseconds of CPU time of its thread. So the load of the
 * machine and other threads do not count.
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

/** CPU time of the main thread, whose id is the process id. Without /proc: CPU time of all threads. */
function threadMs(): number {
  if (!existsSync(SCHEDULED)) return process.cpuUsage().user / 1_000;
  const [nanoseconds] = readFileSync(SCHEDULED, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
