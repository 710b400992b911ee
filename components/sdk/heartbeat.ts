import { Worker } from 'node:worker_threads';
import type { AccessOptions } from './access.ts';
import type { WorkerClient } from './client.ts';
import type { Assignment } from '../../protocol/worker-protocol.ts';

/** What the thread is told: beat so often. */
export type Beat = Pick<Assignment, 'heartbeatMs'>;
/** What the thread tells. */
export interface Verdict {
  readonly token: string;
  readonly why: 'The sub-job was cancelled.' | 'The lease was lost.';
}
export interface HeartbeatThread {
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The thread renews a token of its own: the detector may hold up the other thread for longer than one lasts. */
  readonly access: AccessOptions;
  /** Two doubles: done, total. */
  readonly progress: Float64Array<SharedArrayBuffer>;
  /** The token of the lease, in ASCII, behind its length; length 0: there is none. A sub-job may be done sooner than a message arrives. */
  readonly token: Uint8Array<SharedArrayBuffer>;
}

const LONGEST_TOKEN = 255;

/**
 * Heartbeats from a thread of their own: a detector that computes for a minute without an `await` keeps its lease. Whether it
 * still gets anywhere is judged by its progress, which the thread reads from shared memory. One sub-job at a time.
 */
export class Heartbeat {
  readonly #progress = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  readonly #sharedToken = new Uint8Array(new SharedArrayBuffer(1 + LONGEST_TOKEN));
  readonly #thread: Worker;
  #token: string | undefined;
  #heartbeatMs = 0;
  #over: (why: Verdict['why']) => void = () => undefined;

  constructor({ leases, headers, accessOptions: access }: WorkerClient) {
    const workerData: HeartbeatThread = {
      leases,
      headers,
      access,
      progress: this.#progress,
      token: this.#sharedToken,
    };
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
    this.#share(token);
    if (heartbeatMs === this.#heartbeatMs) return;
    this.#heartbeatMs = heartbeatMs;
    this.#thread.postMessage({ heartbeatMs } satisfies Beat);
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
    await this.#thread.terminate();
  }

  /** Who reads it half written beats for a lease that is none; what he hears of it concerns nobody. */
  #share(token: string): void {
    for (let at = 0; at < token.length; at++) this.#sharedToken[1 + at] = token.charCodeAt(at);
    this.#sharedToken[0] = token.length;
  }
}
