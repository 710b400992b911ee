import fastq, { type queue } from 'fastq';

/**
 * A serial, bounded mailbox. The queue behind it is made on the first message and dropped when it runs empty, so an idle
 * actor costs none.
 */
export class Mailbox<M, R> {
  readonly #limit: number;
  readonly #handle: (message: M) => Promise<R>;
  readonly #onEmpty: () => void;
  #queue: queue<M, R> | undefined;
  #size = 0;

  /** `onEmpty` is called when the last message has been handled. */
  constructor(limit: number, handle: (message: M) => Promise<R>, onEmpty: () => void) {
    this.#limit = limit;
    this.#handle = handle;
    this.#onEmpty = onEmpty;
  }

  /** Messages that wait or are being handled. */
  get size(): number {
    return this.#size;
  }

  get full(): boolean {
    return this.#size >= this.#limit;
  }

  /** Handles `message` after all that came before it. The caller looks at `full` first. */
  push(message: M): Promise<R> {
    this.#queue ??= fastq<undefined, M, R>((next, done) => {
      // The queue's own promises would be one more for every message.
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
