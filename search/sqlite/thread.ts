import { Worker } from 'node:worker_threads';
import { SearchBroken, SearchBusy, SearchDied } from '../../store/search.ts';
import type { Answer, Numbered } from './messages.ts';

export interface ThreadOptions {
  /** The module of the thread. */
  readonly module: URL;
  readonly workerData: unknown;
  readonly heapMb: number;
  /** Size of the heap for new objects. With more space, more garbage waits to be freed. */
  readonly youngMb?: number;
  /** Idle time after which the thread ends. The next request starts it again. */
  readonly idleMs: number;
  /** Timeout of a request, counted from its turn. After a timeout, the thread is terminated. */
  readonly timeoutMs?: number;
}

interface Waiting<Request> {
  readonly request: Request;
  /** The thread that has received the request. Undefined while an earlier thread ends. */
  worker: Worker | undefined;
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

/**
 * A thread that starts with the first request. When it dies, its requests fail, and the next request starts it again. Only one thread
 * exists at a time: a request during its end waits for the exit.
 */
export class Thread<Request, Reply> {
  readonly #options: ThreadOptions;
  /** Requests in the order of their turns. */
  readonly #waiting = new Map<number, Waiting<Request>>();
  #worker: Worker | undefined;
  #ending: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #asked = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  ask(request: Request): Promise<Reply> {
    clearTimeout(this.#idle);
    const n = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, {
        request,
        worker: undefined,
        resolve,
        reject,
      });
      if (this.#waiting.size === 1) this.#arm();
      if (this.#ending === undefined) this.#send();
    });
  }

  /** Ends the thread in an orderly way. Requests that it has not received fail. */
  close(): Promise<void> {
    this.#fail((worker) => worker === undefined, new Error('The thread of the search was ended.'));
    return this.#end((worker) => worker.postMessage('close' satisfies Numbered<Request>));
  }

  /** Terminates the thread at once. Its requests fail. */
  terminate(): Promise<void> {
    this.#fail(() => true, new SearchBusy('The search is starting. Try again in a moment.'));
    return this.#end((worker) => void worker.terminate());
  }

  #end(how: (worker: Worker) => void): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined) return this.#ending ?? Promise.resolve();
    this.#worker = undefined;
    worker.ref();
    this.#ending = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(() => {
      this.#ending = undefined;
      this.#send();
    });
    how(worker);
    return this.#ending;
  }

  /** Sends all requests that the thread has not received yet. */
  #send(): void {
    for (const [n, waiting] of this.#waiting) {
      if (waiting.worker !== undefined) continue;
      this.#worker ??= this.#start();
      this.#worker.ref();
      waiting.worker = this.#worker;
      this.#worker.postMessage({ n, request: waiting.request } satisfies Numbered<Request>);
    }
  }

  #start(): Worker {
    const { module, workerData, heapMb, youngMb } = this.#options;
    const worker = new Worker(module, {
      workerData,
      name: 'search',
      resourceLimits: {
        maxOldGenerationSizeMb: heapMb,
        ...(youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }),
      },
    });
    let death: unknown;
    worker.on('message', (answer: Answer<Reply>) => this.#take(answer));
    worker.on('error', (error) => (death = error));
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#worker = undefined;
      const reason = death instanceof Error ? death.message : `exit code ${code}`;
      this.#fail((one) => one === worker, new SearchDied(`The thread of the search died: ${reason}`));
    });
    return worker;
  }

  #take(answer: Answer<Reply>): void {
    const waiting = this.#waiting.get(answer.n);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.n);
    this.#arm();
    if (this.#waiting.size === 0) this.#rest();
    if ('reply' in answer) waiting.resolve(answer.reply);
    else waiting.reject(answer.broken ? new SearchBroken(answer.failure) : new Error(answer.failure));
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs).unref();
  }

  /** Starts the timeout of the first pending request. */
  #arm(): void {
    clearTimeout(this.#deadline);
    const { timeoutMs } = this.#options;
    if (timeoutMs !== undefined && this.#waiting.size > 0)
      this.#deadline = setTimeout(() => this.#giveUp(), timeoutMs);
  }

  #giveUp(): void {
    const [late] = this.#waiting.values();
    late?.reject(new SearchBusy('The search takes too long. Use more or longer words, or search one job.'));
    void this.terminate();
  }

  #fail(which: (worker: Worker | undefined) => boolean, error: Error): void {
    for (const [n, { worker, reject }] of this.#waiting)
      if (which(worker)) {
        this.#waiting.delete(n);
        reject(error);
      }
    this.#arm();
  }
}
