/**
 * The second thread of a worker process. It continues when a detector computes without an `await`: it sends heartbeats, and it ends the
 * process when the parent is gone and the first thread has not ended it. Two threads would make a start longer by a tenth.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Beats, Beating, Verdict } from './beats.ts';

export interface SecondThread {
  /** The process that started this one; absent: nobody minds when it is gone. */
  readonly parent?: number;
}
/** What the thread is told: for whom to send heartbeats, and how often (milliseconds; 0: no longer). */
export type ToSecondThread = Beating | { readonly heartbeatMs: number };

const LOOK_MS = 300;
/** The first thread gets this long to give its work back. */
const GRACE_MS = 1_600;

const { parent } = workerData as SecondThread;
if (parent !== undefined) watch(parent);

let beating: Beating | undefined;
let timer: NodeJS.Timeout | undefined;
parentPort!.on('message', (told: ToSecondThread) => {
  if ('leases' in told) beating = told;
  else every(told.heartbeatMs);
});

/** Milliseconds; 0: no longer. */
function every(heartbeatMs: number): void {
  clearInterval(timer);
  if (heartbeatMs > 0) timer = setInterval(() => void beat(), heartbeatMs);
}

let beats: Promise<Beats> | undefined;

/** What sends them is loaded for the first one that is due: most sub-jobs are done before. */
async function beat(): Promise<void> {
  if (beating === undefined || beating.token[0] === 0) return;
  beats ??= startBeats(beating);
  (await beats).beat();
}

async function startBeats(of: Beating): Promise<Beats> {
  const { Beats } = await import('./beats.ts');
  return new Beats(of, (verdict: Verdict) => parentPort!.postMessage(verdict));
}

function watch(pid: number): void {
  const timer = setInterval(() => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS);
  }, LOOK_MS);
}
