import { Worker } from 'node:worker_threads';
import { SearchBroken } from '../../store/search.ts';
import type { Answer, Numbered } from './messages.ts';

export interface ThreadOptions {
  /** The module of the thread. */
  readonly module: URL;
  readonly workerData: unknown;
  readonly heapMb: number;
  /** Without anything to do for so long it ends, until it is asked again. */
  readonly idleMs: number;
}

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

/** A thread that is started when it is asked something. One that dies fails what it was asked, and is started anew. */
export class Thread<Request, Reply> {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  ask(request: Request): Promise<Reply> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.ref();
    const n = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve: resolve as Waiting['resolve'], reject });
      this.#worker!.postMessage({ n, request } satisfies Numbered<Request>);
    });
  }

  /** Ends the thread in order: what it has not done yet fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies Numbered<Request>);
    await ended;
    // Those that asked while it went have another one.
    if (this.#worker === undefined) this.#fail(new Error('The thread of the search was ended.'));
  }

  /** Ends the thread at once; what it was asked fails. */
  async terminate(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail(new Error('The thread of the search was ended.'));
    await worker?.terminate();
  }

  #start(): Worker {
    const { module, workerData, heapMb } = this.#options;
    const worker = new Worker(module, {
      workerData,
      name: 'search',
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    let death: unknown;
    worker.on('message', (answer: Answer<Reply>) => this.#take(answer));
    worker.on('error', (error) => (death = error));
    worker.on('exit', (code) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#fail(
        new Error(
          `The thread of the search died: ${death instanceof Error ? death.message : `exit code ${code}`}`,
        ),
      );
    });
    return worker;
  }

  #take(answer: Answer<Reply>): void {
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (this.#waiting.size === 0) this.#rest();
    if ('reply' in answer) waiting?.resolve(answer.reply);
    else waiting?.reject(answer.broken ? new SearchBroken(answer.failure) : new Error(answer.failure));
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs).unref();
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
