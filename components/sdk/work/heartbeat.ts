import { Worker } from 'node:worker_threads';
import type { Beating, Verdict } from './beats.ts';
import type { WorkerClient } from '../connection/client.ts';
import type { SecondThread, ToSecondThread } from './second-thread.ts';
import type { Assignment } from '../../../protocol/worker-protocol.ts';

const LONGEST_TOKEN = 255;

/** Starts the thread that continues while the detector blocks this one. If `parent` is given, the thread ends the process after it. */
export function secondThread(workerData: SecondThread): Worker {
  return new Worker(new URL('./second-thread.js', import.meta.url), { workerData });
}

/**
 * Sends heartbeats from the second thread. A detector that computes for a minute without an `await` keeps its lease. The thread reads the
 * progress from shared memory, so the server sees whether the detector hangs. Handles one sub-job at a time.
 */
export class Heartbeat {
  readonly #progress = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  readonly #sharedToken = new Uint8Array(new SharedArrayBuffer(1 + LONGEST_TOKEN));
  readonly #thread: Worker;
  /** True if the thread was started only for heartbeats. */
  readonly #isOwn: boolean;
  #token: string | undefined;
  #heartbeatMs = 0;
  #over: (why: Verdict['why']) => void = () => undefined;

  /** `thread`: the second thread of this process, if it exists. */
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
    // Without the thread, the process would lose every lease. Therefore, the process ends.
    this.#thread.on('error', (error) => {
      throw error;
    });
  }

  /** Starts heartbeats. `over` is called when the sub-job is cancelled or its lease is lost. */
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

  /** Writes the token to shared memory. If the thread reads a partial token, its heartbeat is for no lease, and the answer is ignored. */
  #share(token: string): void {
    for (let at = 0; at < token.length; at++) this.#sharedToken[1 + at] = token.charCodeAt(at);
    this.#sharedToken[0] = token.length;
  }
}
