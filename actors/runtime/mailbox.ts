import fastq, { type queueAsPromised } from 'fastq';

/**
 * A serial, bounded mailbox. The queue behind it is made on the first message and dropped when it runs empty, so an idle
 * actor costs none.
 */
export class Mailbox<M, R> {
  readonly #limit: number;
  readonly #handle: (message: M) => Promise<R>;
  #queue: queueAsPromised<M, R> | undefined;
  #size = 0;

  constructor(limit: number, handle: (message: M) => Promise<R>) {
    this.#limit = limit;
    this.#handle = handle;
  }

  /** Messages that wait or are being handled. */
  get size(): number {
    return this.#size;
  }

  get full(): boolean {
    return this.#size >= this.#limit;
  }

  /** Handles `message` after all that came before it. The caller looks at `full` first. */
  async push(message: M): Promise<R> {
    this.#queue ??= fastq.promise<undefined, M, R>((next) => this.#handle(next), 1);
    this.#size++;
    try {
      return await this.#queue.push(message);
    } finally {
      this.#size--;
      if (this.#size === 0) this.#queue = undefined;
    }
  }
}
