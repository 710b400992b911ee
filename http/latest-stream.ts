import { PassThrough } from 'node:stream';

/** Time after which a client comes again when its stream broke off. */
export const RETRY_MS = 2_000;

/**
 * The server-sent events of one client that wants to know how something is now. A client that reads slowly misses what is out of date by
 * then, and never makes the server keep more.
 */
export class LatestStream {
  readonly body = new PassThrough();
  readonly #name: string;
  #id: number;
  /** Made when the client has read what is under way; undefined: there is nothing to tell. */
  #latest: (() => object | undefined) | undefined;
  #over = false;
  /** It has not read anything since the last sign of life. */
  #stuck = false;

  /** `lastEvent`: the number of the last event that the client has seen. */
  constructor(name: string, lastEvent: number, heartbeatMs: number) {
    this.#name = name;
    this.#id = lastEvent;
    this.body.write(`retry: ${RETRY_MS}\n\n`);
    const beat = setInterval(() => this.#beat(), heartbeatMs).unref();
    this.body.on('drain', () => this.#flush());
    // A client that hangs up is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearInterval(beat));
  }

  tell(latest: () => object | undefined): void {
    this.#latest = latest;
    this.#flush();
  }

  /** Nothing follows what was told. */
  ended(): void {
    this.#over = true;
    this.#flush();
  }

  #flush(): void {
    if (this.body.destroyed || this.body.writableEnded || this.body.writableNeedDrain) return;
    this.#stuck = false;
    const data = this.#latest?.();
    this.#latest = undefined;
    if (data !== undefined)
      this.body.write(`id: ${++this.#id}\nevent: ${this.#name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (this.#over) this.body.end();
  }

  #beat(): void {
    if (!this.body.writableNeedDrain && !this.body.writableEnded) this.body.write(': \n\n');
    else if (this.#stuck) this.body.destroy();
    else this.#stuck = true;
  }
}
