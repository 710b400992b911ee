import { EventBody } from './event-body.ts';

/**
 * The server-sent events of one client that watches the current state. A slow client skips outdated states, so the server never buffers
 * more than one state for it.
 */
export class LatestStream extends EventBody {
  readonly #name: string;
  #id: number;
  /** Creates the next event when the client has read the one before. Returns undefined if there is nothing to send. */
  #latest: (() => object | undefined) | undefined;
  #over = false;

  /** `lastEvent`: the number of the last event that the client has seen. */
  constructor(name: string, lastEvent: number, heartbeatMs: number) {
    super(heartbeatMs);
    this.#name = name;
    this.#id = lastEvent;
  }

  tell(latest: () => object | undefined): void {
    this.#latest = latest;
    this.flush();
  }

  /** Ends the stream after the pending event. */
  onEnd(): void {
    this.#over = true;
    this.flush();
  }

  protected override flush(): void {
    if (!this.isOpen || this.body.writableNeedDrain) return;
    const data = this.#latest?.();
    this.#latest = undefined;
    if (data !== undefined)
      this.body.write(`id: ${++this.#id}\nevent: ${this.#name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (this.#over) this.body.end();
  }
}
