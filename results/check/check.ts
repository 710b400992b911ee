/**
 * Checks spooled results in a thread, so the size and content of a result never block the event loop. There is one thread, started on first
 * use. It restarts if a result crashes it. A result that crashes it twice is refused.
 */
import { Worker } from 'node:worker_threads';
import type { WorkKind, WorkTypes } from '../../protocol/worker-protocol.ts';
import type { Range } from '../../domain/types.ts';
import type { SegmentRequest, SegmentVerdict } from './segment-report.ts';

export interface Expectations {
  /** DETECT: tracks must be within this range. A stop below 0 (or no range) allows any frames. */
  readonly range?: Range;
  /** DETECT: maximum line length; 64 MiB if absent. */
  readonly maxLineBytes?: number;
}

export interface Refused {
  readonly ok: false;
  readonly reason: string;
}
/** The data of a valid result. For PREPARE without `facts.frameTimes.times`, which stay in the file. */
export type Accepted = {
  readonly [K in WorkKind]: { readonly ok: true; readonly kind: K } & WorkTypes[K]['answer'];
};
export type CheckedResult<K extends WorkKind = WorkKind> = Accepted[K] | Refused;

export interface AnswersRequest {
  readonly answers: readonly ExpectedAnswer[];
}
/** An answer in a file, or a small one as text. */
export type ExpectedAnswer = ({ readonly path: string } | { readonly text: string }) & {
  readonly kind: WorkKind;
  readonly expectations: Expectations;
};
/** Checks answers, or a segment of live video, whose report is written at the same time. */
export type CheckRequest = AnswersRequest | { readonly segment: SegmentRequest };
export interface CheckReply {
  /** One for each answer. */
  readonly results?: readonly CheckedResult[];
  readonly segment?: SegmentVerdict;
  /** The file could not be read, which is not an error of its content. */
  readonly failure?: string;
}

interface Waiting {
  readonly request: CheckRequest;
  deaths: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: Error) => void;
}
/** A string: the reason why the checker crashed. */
type Verdict = Omit<CheckReply, 'failure'> | string;

export interface CheckerOptions {
  /** Heap limit of the thread. A result that needs more is refused. */
  readonly heapMb?: number;
  /** The module of the thread. Tests replace it by one that crashes. */
  readonly worker?: URL;
}

const MAX_DEATHS = 2;
const DEFAULT_HEAP_MB = 1536;

export class ResultChecker {
  readonly #options: CheckerOptions;
  readonly #queue: Waiting[] = [];
  #current: Waiting | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(options: CheckerOptions = {}) {
    this.#options = options;
  }

  /** Checks a spooled file. Rejects if the file cannot be read or the checker is closed. */
  async checkResult<K extends WorkKind>(
    path: string,
    kind: K,
    expectations: Expectations = {},
  ): Promise<CheckedResult<K>> {
    const [result] = await this.checkResults([{ path, kind, expectations }]);
    return result as CheckedResult<K>;
  }

  /** Checks several answers. If one crashes the checker, only that one is refused. */
  async checkResults(answers: readonly ExpectedAnswer[]): Promise<readonly CheckedResult[]> {
    if (answers.length === 0) return [];
    const verdict = await this.#verdictOn({ answers });
    if (typeof verdict !== 'string') return verdict.results ?? [];
    if (answers.length === 1) return [{ ok: false, reason: `The result could not be checked: ${verdict}` }];
    const results: CheckedResult[] = [];
    for (const answer of answers) results.push(...(await this.checkResults([answer])));
    return results;
  }

  /** Checks a segment of live video. Its report is written if it is accepted. */
  async segmentReport(segment: SegmentRequest): Promise<SegmentVerdict> {
    const verdict = await this.#verdictOn({ segment });
    if (typeof verdict !== 'string' && verdict.segment !== undefined) return verdict.segment;
    const reason = typeof verdict === 'string' ? verdict : 'The checker of results gave no answer.';
    return { ok: false, reason: `The segment could not be checked: ${reason}` };
  }

  #verdictOn(request: CheckRequest): Promise<Verdict> {
    if (this.#closed) return Promise.reject(new Error('The checker of results is closed.'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, deaths: 0, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread. Waiting checks are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    for (const waiting of [this.#take(), ...this.#queue.splice(0)])
      waiting?.reject(new Error('The checker of results is closed.'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#queue.shift();
    if (this.#current === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(this.#current.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.worker ?? new URL('./check-worker.js', import.meta.url), {
      name: 'result-checker',
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb ?? DEFAULT_HEAP_MB },
    });
    let death: unknown;
    worker.on('message', (reply: CheckReply) => this.#answer(reply));
    worker.on('error', (error) => (death = error));
    worker.on('exit', (code) => this.#onWorkerDeath(worker, death ?? new Error(`exit code ${code}`)));
    return worker;
  }

  #answer({ failure, ...verdict }: CheckReply): void {
    const done = this.#take();
    if (failure !== undefined) done?.reject(new Error(failure));
    else done?.resolve(verdict);
    this.#next();
  }

  #onWorkerDeath(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const victim = this.#take();
    if (victim !== undefined) {
      victim.deaths += 1;
      if (victim.deaths < MAX_DEATHS) this.#queue.unshift(victim);
      else victim.resolve(String(error));
    }
    this.#next();
  }

  #take(): Waiting | undefined {
    const current = this.#current;
    this.#current = undefined;
    return current;
  }
}
