/** Runs networks in threads. Each thread has its own copies of the models, so a further one starts only if runs often wait. */
import { Worker } from 'node:worker_threads';

export interface NetworkRun {
  /** The model file, as a path from the root of the package. */
  readonly file: string;
  /** Absent to only load the network. */
  readonly shape?: readonly number[] | undefined;
  readonly values: Float32Array;
}

/** What a thread sends after each run, and when it is ready for the first one. */
export interface ThreadAnswer {
  readonly outputs?: readonly Float32Array[];
  /** Why the network could not be run. */
  readonly error?: string;
}

interface WaitingRun {
  readonly run: NetworkRun;
  /** Time of its request. */
  readonly since: number;
  resolve(answer: ThreadAnswer): void;
}

interface Limits {
  /** Maximum number of threads. */
  readonly most: number;
  /** Milliseconds over which waiting is measured, before another thread may start. */
  readonly windowMs: number;
}

/** Number of processors that a run may use. With more, a run takes more CPU time. With one, a run on an idle host takes longer. */
export const PROCESSORS_OF_RUN = 2;
/** Mean number of waiting runs above which another thread starts. */
const MOST_WAITING = 0.1;

export class NetworkThreads {
  readonly #limits: Limits;
  readonly #waiting: WaitingRun[] = [];
  readonly #idle: NetworkThread[] = [];
  readonly #threads: NetworkThread[] = [];
  /** Files of the networks so far, which a new thread loads before its first run. */
  readonly #files = new Set<string>();
  #measuredFrom = 0;
  /** Total time that runs have waited since then, in milliseconds. */
  #waitedMs = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Number of threads. */
  get count(): number {
    return this.#threads.length;
  }

  /** Starts threads until there are `wanted`, or the maximum number. */
  growTo(wanted: number): void {
    while (this.count < Math.min(wanted, this.#limits.most)) this.#start();
  }

  /** The values must not change until the promise resolves. */
  run(run: NetworkRun): Promise<ThreadAnswer> {
    this.growTo(1);
    this.#files.add(run.file);
    return new Promise((resolve) => {
      this.#waiting.push({ run, resolve, since: performance.now() });
      const thread = this.#idle.pop();
      if (thread !== undefined) this.#give(thread);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #start(): void {
    const onFree = (thread: NetworkThread, isNew: boolean) => {
      if (isNew) this.#measure(performance.now());
      this.#give(thread);
    };
    this.#threads.push(new NetworkThread([...this.#files], onFree));
    this.#measure(performance.now());
  }

  #measure(from: number): void {
    [this.#measuredFrom, this.#waitedMs] = [from, 0];
  }

  #give(thread: NetworkThread): void {
    const next = this.#waiting.shift();
    if (next === undefined) return void this.#idle.push(thread);
    thread.take(next);
    const now = performance.now();
    this.#waitedMs += now - Math.max(next.since, this.#measuredFrom);
    const measured = now - this.#measuredFrom;
    if (measured < this.#limits.windowMs) return;
    const isBusy = this.#waitedMs > measured * MOST_WAITING;
    if (isBusy && this.count < this.#limits.most) this.#start();
    else this.#measure(now);
  }
}

/** An error of the thread itself ends the process. Its clients then get another process. */
class NetworkThread {
  readonly #worker: Worker;
  #current: WaitingRun | undefined;

  constructor(files: readonly string[], onFree: (thread: NetworkThread, isNew: boolean) => void) {
    this.#worker = new Worker(new URL('./network-thread.js', import.meta.url), { workerData: files });
    this.#worker.on('message', (answer: ThreadAnswer) => {
      const current = this.#current;
      this.#current = undefined;
      current?.resolve(answer);
      onFree(this, current === undefined);
    });
  }

  take(waiting: WaitingRun): void {
    this.#current = waiting;
    this.#worker.postMessage(waiting.run);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
