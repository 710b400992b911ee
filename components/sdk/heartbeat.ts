import { Worker } from 'node:worker_threads';
import type { WorkerClient } from './client.ts';
import type { Assignment } from '../../protocol/worker-protocol.ts';

/** What the thread is told: beat for this lease from now on; null: for none. */
export type Beat = Pick<Assignment, 'token' | 'heartbeatMs'> | null;
/** What the thread tells. */
export interface Verdict {
  readonly token: string;
  readonly why: 'The sub-job was cancelled.' | 'The lease was lost.';
}
export interface HeartbeatThread {
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Two doubles: done, total. */
  readonly progress: Float64Array<SharedArrayBuffer>;
}

/**
 * Heartbeats from a thread of their own: a detector that computes for a minute without an `await` keeps its lease. Whether it
 * still gets anywhere is judged by its progress, which the thread reads from shared memory. One sub-job at a time.
 */
export class Heartbeat {
  readonly #progress = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  readonly #thread: Worker;
  #token: string | undefined;
  #over: (why: Verdict['why']) => void = () => undefined;

  constructor({ leases, headers }: WorkerClient) {
    const workerData: HeartbeatThread = { leases, headers, progress: this.#progress };
    this.#thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), { workerData });
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
    this.#tell({ token, heartbeatMs });
  }

  progress(done: number, total: number): void {
    this.#progress[0] = done;
    this.#progress[1] = total;
  }

  end(): void {
    this.#token = undefined;
    this.#tell(null);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #tell(beat: Beat): void {
    this.#thread.postMessage(beat);
  }
}
