/** Sends recorded fragments of a live stream to the server. It never delays the stream: fragments that wait too long are dropped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerClient } from './client.ts';
import { ProtocolError } from '../failure.ts';

export interface RecordingSenderOptions {
  readonly client: Pick<WorkerClient, 'fragment'>;
  readonly token: string;
  log(message: string): void;
}

interface Waiting {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Maximum number of bytes that wait for the server. */
const KEPT_BYTES = 24 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;
/** Status of a busy or starting server, or of a proxy before an unavailable one. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export class RecordingSender {
  /** Number of dropped fragments. */
  lost = 0;
  readonly #options: RecordingSenderOptions;
  readonly #waiting: Waiting[] = [];
  readonly #over = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: RecordingSenderOptions) {
    this.#options = options;
  }

  add(name: string, bytes: Uint8Array): void {
    if (this.#over.signal.aborted) return;
    this.#waiting.push({ name, bytes });
    this.#giveUpOldest();
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  /** Resolves when all fragments have arrived, or after `withinMs`. */
  async flush(withinMs: number): Promise<void> {
    if (this.#sending === undefined) return;
    const limit = new AbortController();
    const late = sleep(withinMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([this.#sending, late]).finally(() => limit.abort());
  }

  close(): void {
    this.#over.abort();
    this.#waiting.length = 0;
  }

  #giveUpOldest(): void {
    let kept = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    while (this.#waiting.length > 1 && kept > KEPT_BYTES) {
      kept -= this.#waiting.shift()!.bytes.length;
      if (this.lost++ === 0)
        this.#options.log('A part of a recording was dropped: the server was unreachable for too long.');
    }
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await this.#send(next);
      const at = this.#waiting.indexOf(next);
      if (at >= 0) this.#waiting.splice(at, 1);
    }
  }

  async #send(one: Waiting): Promise<void> {
    const { client, token, log } = this.#options;
    const { signal } = this.#over;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted && this.#waiting.includes(one);) {
      try {
        await client.fragment(token, one.name, one.bytes, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ProtocolError && !MAY_PASS.has(error.status)) {
          // The reports of the stream detect a lost lease.
          if (this.lost++ === 0) log(`A part of a recording was refused: ${error.message}`);
          return;
        }
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }
}
