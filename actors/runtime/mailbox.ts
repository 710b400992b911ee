import fastq, { type queue } from 'fastq';

/**
 * A serial, bounded mailbox. Its queue is made for the first message and dropped when it is empty, so an idle actor has no queue.
 */
export class Mailbox<M, R> {
  readonly #limit: number;
  readonly #handle: (message: M) => Promise<R>;
  readonly #onEmpty: () => void;
  #queue: queue<M, R> | undefined;
  #size = 0;

  /** @param onEmpty called when the last message has been handled */
  constructor(limit: number, handle: (message: M) => Promise<R>, onEmpty: () => void) {
    this.#limit = limit;
    this.#handle = handle;
    this.#onEmpty = onEmpty;
  }

  /** Number of messages that wait or are being handled. */
  get size(): number {
    return this.#size;
  }

  get full(): boolean {
    return this.#size >= this.#limit;
  }

  /** Handles `message` after all earlier ones. The caller checks `full` first. */
  push(message: M): Promise<R> {
    this.#queue ??= fastq<undefined, M, R>((next, done) => {
      // Not the queue's promise API, which makes another promise for every message.
      // oxlint-disable-next-line promise/no-callback-in-promise
      this.#handle(next).then((reply) => done(null, reply), done);
    }, 1);
    const queue = this.#queue;
    this.#size++;
    return new Promise((resolve, reject) => {
      queue.push(message, (error, reply) => {
        this.#size--;
        if (error === null) resolve(reply as R);
        else reject(error);
        if (this.#size > 0) return;
        this.#queue = undefined;
        this.#onEmpty();
      });
    });
  }
}
