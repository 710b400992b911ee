/**
 * The second thread of a worker process. It continues while a detector computes without an `await`. It sends heartbeats. It also ends the
 * process when the parent is dead and the first thread has not ended the process. Two separate threads would make the start a tenth slower.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Beats, Beating, Verdict } from './beats.ts';

export interface SecondThread {
  /** The process that started this one; undefined if its end does not matter. */
  readonly parent?: number;
}
/** A message to the thread: the data for heartbeats, or their interval in milliseconds (0 stops them). */
export type ToSecondThread = Beating | { readonly heartbeatMs: number };

const LOOK_MS = 300;
/** Time for the first thread to give its work back. */
const GRACE_MS = 1_600;

const { parent } = workerData as SecondThread;
if (parent !== undefined) watch(parent);

let beating: Beating | undefined;
let timer: NodeJS.Timeout | undefined;
parentPort!.on('message', (told: ToSecondThread) => {
  if ('leases' in told) beating = told;
  else every(told.heartbeatMs);
});

/** Sets the interval in milliseconds; 0 stops. */
function every(heartbeatMs: number): void {
  clearInterval(timer);
  if (heartbeatMs > 0) timer = setInterval(() => void beat(), heartbeatMs);
}

let beats: Promise<Beats> | undefined;

/** Sends a heartbeat. The code is loaded for the first one, because most sub-jobs end earlier. */
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
