import { Worker } from 'node:worker_threads';
import type { Beating, Verdict } from './beats.ts';
import type { WorkerClient } from '../connection/client.ts';
import type { SecondThread, ToSecondThread } from './second-thread.ts';
import type { Assignment } from '../../../protocol/worker-protocol.ts';

const LONGEST_TOKEN = 255;

/** Starts the thread that continues while the detector blocks this one. `parent`: the process ends with it. */
export function secondThread(workerData: SecondThread): Worker {
  return new Worker(new URL('./second-thread.js', import.meta.url), { workerData });
}

/**
 * Heartbeats from the second thread: a detector that computes for a minute without an `await` keeps its lease. The
 * thread reads its progress from shared memory, which shows whether it hangs. One sub-job at a time.
 */
export class Heartbeat {
  readonly #progress = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  readonly #sharedToken = new Uint8Array(new SharedArrayBuffer(1 + LONGEST_TOKEN));
  readonly #thread: Worker;
  /** The thread was started for the heartbeats alone. */
  readonly #isOwn: boolean;
  #token: string | undefined;
  #heartbeatMs = 0;
  #over: (why: Verdict['why']) => void = () => undefined;

  /** `thread`: of this process, where it has one. */
  constructor({ leases, headers, accessOptions: access }: WorkerClient, thread?: Worker) {
    this.#isOwn = thread === undefined;
    this.#thread = thread ?? secondThread({});
    const beating: Beating = {
      leases,
      headers,
      access,
      progress: this.#progress,
      token: this.#sharedToken,
    };
    this.#tell(beating);
    this.#thread.on('message', (verdict: Verdict) => {
      if (verdict.token === this.#token) this.#over(verdict.why);
    });
    // Without it, it would lose every lease: then better the process goes.
    this.#thread.on('error', (error) => {
      throw error;
    });
  }

  /** `over` is called when the sub-job is not wanted any more. */
  begin({ token, heartbeatMs }: Assignment, over: (why: Verdict['why']) => void): void {
    this.#progress.fill(0);
    this.#token = token;
    this.#over = over;
    this.#share(token);
    if (heartbeatMs === this.#heartbeatMs) return;
    this.#heartbeatMs = heartbeatMs;
    this.#tell({ heartbeatMs });
  }

  progress(done: number, total: number): void {
    this.#progress[0] = done;
    this.#progress[1] = total;
  }

  end(): void {
    this.#token = undefined;
    this.#share('');
  }

  async close(): Promise<void> {
    this.#tell({ heartbeatMs: 0 });
    if (this.#isOwn) await this.#thread.terminate();
  }

  #tell(what: ToSecondThread): void {
    this.#thread.postMessage(what);
  }

  /** Who reads it half written beats for a lease that is none; what he hears of it concerns nobody. */
  #share(token: string): void {
    for (let at = 0; at < token.length; at++) this.#sharedToken[1 + at] = token.charCodeAt(at);
    this.#sharedToken[0] = token.length;
  }
}
