/** A thread that ends the process when its parent is gone and the main thread has not done so itself. */
import { workerData } from 'node:worker_threads';

const parent = workerData as number;
const LOOK_MS = 300;
/** The main thread gets this long to give its work back. */
const GRACE_MS = 1_600;

const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS);
}, LOOK_MS);
