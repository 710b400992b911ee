import { PassThrough } from 'node:stream';

/** Time after which a client reconnects when its stream has broken off. */
const RETRY_MS = 2_000;

/** The server-sent events of one client, with keep-alive comments. Closes the stream of a client that does not read for too long. */
export abstract class EventBody {
  readonly body = new PassThrough();
  /** True if the client has not read anything since the last keep-alive comment. */
  #isStuck = false;

  constructor(heartbeatMs: number) {
    this.body.write(`retry: ${RETRY_MS}\n\n`);
    const beat = setInterval(() => this.#beat(), heartbeatMs).unref();
    this.body.on('drain', () => {
      this.#isStuck = false;
      this.flush();
    });
    // A client that disconnects is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearInterval(beat));
  }

  /** Writes pending events as far as the client reads them. */
  protected abstract flush(): void;

  protected get isOpen(): boolean {
    return !this.body.destroyed && !this.body.writableEnded;
  }

  #beat(): void {
    if (!this.body.writableNeedDrain && this.isOpen) {
      this.#isStuck = false;
      this.body.write(': \n\n');
    } else if (this.#isStuck) this.body.destroy();
    else this.#isStuck = true;
  }
}
