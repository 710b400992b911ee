/**
 * Answers queries of viewers about the documents of ended jobs. The first query makes a thread index the document. The index is stored
 * beside it and deleted with it. Another thread answers.
 */
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { AnswerTo, Question } from '../../domain/tracks/viewing.ts';
import { UnknownMedium } from './ask.ts';
import type { FromThread, ThreadData, ToThread } from './thread.ts';

/** Too many queries wait, or one takes too long. The client may retry later. */
export class TimelineBusy extends Error {
  override readonly name = 'TimelineBusy';
}

export interface TimelineOptions {
  /** Maximum number of queries that wait for a thread. */
  readonly mostWaiting: number;
  /** Time in milliseconds that a query waits for its index. Building the index of a very large document takes longer. */
  readonly waitMs: number;
  /** Time in milliseconds without queries after which an index is closed. */
  readonly idleMs: number;
}

interface Waiting {
  resolve(message: FromThread): void;
  reject(error: Error): void;
}

/** A thread that starts at its first query. */
class Thread {
  readonly #data: ThreadData;
  readonly #mostWaiting: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(data: ThreadData, mostWaiting: number) {
    this.#data = data;
    this.#mostWaiting = mostWaiting;
  }

  ask(message: Omit<ToThread, 'id'>): Promise<FromThread> {
    if (this.#waiting.size >= this.#mostWaiting)
      return Promise.reject(
        new TimelineBusy('Too many viewers query documents at the moment. Try again later.'),
      );
    const worker = (this.#worker ??= this.#startWorker());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ ...message, id } satisfies ToThread);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      name: `timeline ${this.#data.role}`,
      workerData: this.#data,
    });
    worker.unref();
    worker.on('message', (message: FromThread) => {
      this.#waiting.get(message.id)?.resolve(message);
      this.#waiting.delete(message.id);
    });
    const onExit = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const one of this.#waiting.values()) one.reject(error);
      this.#waiting.clear();
    };
    worker.once('error', onExit);
    worker.once('exit', () => onExit(new Error('The thread that reads documents for viewers has ended.')));
    return worker;
  }
}

export class Timelines {
  readonly #builder: Thread;
  readonly #answerer: Thread;
  readonly #waitMs: number;
  /** Indexes that are being built. */
  readonly #building = new Map<string, Promise<void>>();

  constructor({ mostWaiting, waitMs, idleMs }: TimelineOptions) {
    this.#builder = new Thread({ role: 'build', idleMs }, mostWaiting);
    this.#answerer = new Thread({ role: 'answer', idleMs }, mostWaiting);
    this.#waitMs = waitMs;
  }

  /** Answers from the document at this path. @throws TimelineBusy; UnknownMedium; Error if it cannot be read; ENOENT if it was deleted */
  async ask<Q extends Question>(document: string, question: Q): Promise<AnswerTo<Q>> {
    try {
      return await this.#askThreads(document, question);
    } catch (error) {
      // If the document was deleted meanwhile, that is the cause.
      await stat(document);
      throw error;
    }
  }

  async #askThreads<Q extends Question>(document: string, question: Q): Promise<AnswerTo<Q>> {
    const index = await indexOf(document);
    const first = await this.#answerer.ask({ index, document, question });
    if (!('absent' in first)) return valueOf<Q>(first);
    await within(this.#waitMs, this.#buildIndex(index, document));
    const second = await this.#answerer.ask({ index, document, question });
    if ('absent' in second) throw new Error('The index of the document was removed.');
    return valueOf<Q>(second);
  }

  /** The same from an existing index. @throws TimelineBusy; Error if it was deleted or cannot be read */
  async askIndex<Q extends Question>(index: string, question: Q): Promise<AnswerTo<Q>> {
    const message = await this.#answerer.ask({ index, document: '', question });
    if ('value' in message) return message.value as AnswerTo<Q>;
    throw new Error('error' in message ? message.error : `The index ${index} is gone.`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#builder.close(), this.#answerer.close()]);
  }

  #buildIndex(index: string, document: string): Promise<void> {
    const under = this.#building.get(index);
    if (under !== undefined) return under;
    const building = this.#builder
      .ask({ index, document })
      .then((message) => {
        if ('error' in message) throw new Error(message.error);
      })
      .finally(() => this.#building.delete(index));
    this.#building.set(index, building);
    return building;
  }
}

/** Limits the wait for the index of a very long document. Building continues. */
async function within(waitMs: number, building: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(new TimelineBusy('The index of this document is being built. Try again in a few seconds.')),
      waitMs,
    );
  });
  try {
    await Promise.race([building, late]);
  } finally {
    clearTimeout(timer);
    // A later failure is reported to the next query.
    building.catch(() => undefined);
  }
}

function valueOf<Q extends Question>(message: Exclude<FromThread, { readonly absent: true }>): AnswerTo<Q> {
  if ('value' in message) return message.value as AnswerTo<Q>;
  throw 'unknownMedium' in message ? new UnknownMedium(message.unknownMedium) : new Error(message.error);
}

/** Path of the index. A rewritten document has another index. */
async function indexOf(document: string): Promise<string> {
  const { size, mtimeMs } = await stat(document);
  return `${document}.${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}.index`;
}
