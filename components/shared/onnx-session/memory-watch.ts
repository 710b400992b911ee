/** A thread that ends the process when it exceeds its memory limit, even while a computation blocks the main thread. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const EVERY_MS = 50;
const MIB = 1024 ** 2;

const most = workerData as number;

setInterval(() => {
  if (process.memoryUsage.rss() <= most) return;
  // Read by the parent process, which waits for this one.
  writeSync(2, `it needs more than ${Math.floor(most / MIB)} MiB of memory (MAX_COMPONENT_MEMORY)\n`);
  process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
