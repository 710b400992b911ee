import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import type { Assignment, ClaimAnswer, ClaimRequest, FailureRequest } from './protocol.ts';

/** The server answered something else than success. 409: the lease is lost; 503: come back later. */
export class ProtocolError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.status = status;
  }
}

export type ResultBody = string | Buffer | AsyncIterable<string | Uint8Array>;

const RETRIES = 6;
const RETRY_MS = 200;

/** The worker protocol, one method a message (heartbeats have a thread of their own). What is safe to repeat is repeated while the server is busy or away. */
export class WorkerClient {
  /** Where the leases of this client are. */
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #base: string;
  /** Bodies are streams of any length and claims wait long: no time limits here, the server's leases are the limit. */
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  constructor(serverUrl: string, token: string) {
    this.#base = `${serverUrl.replace(/\/$/, '')}/worker/v1`;
    this.leases = `${this.#base}/leases`;
    this.headers = { authorization: `Bearer ${token}` };
  }

  async claim(claim: ClaimRequest, signal: AbortSignal): Promise<readonly Assignment[]> {
    const answer = (await this.#json('/claim', claim, signal)) as ClaimAnswer;
    return answer.work;
  }

  /** A text or buffer is sent again when the server was busy; a stream can be sent only once. */
  async result(token: string, body: ResultBody): Promise<void> {
    const path = `/leases/${token}/result`;
    const repeatable = typeof body === 'string' || Buffer.isBuffer(body);
    const send = () =>
      this.#send('POST', path, {
        body: repeatable ? body : Readable.from(body, { objectMode: true }),
        headers: { 'content-type': 'application/x-ndjson' },
      });
    await drained(repeatable ? await retried(send) : await send());
  }

  async failure(token: string, failure: FailureRequest): Promise<void> {
    await retried(() => this.#json(`/leases/${token}/failure`, failure));
  }

  /** Gives the sub-job back unharmed; it does not count as an attempt. */
  async release(token: string): Promise<void> {
    await this.#json(`/leases/${token}/release`, {});
  }

  /** The NDJSON that a sub-job works on, where it is too large for the claim. */
  async input(path: string): Promise<Readable> {
    const answer = await this.#send('GET', path.replace(/^\/worker\/v1/, ''), {});
    return answer.body;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #json(path: string, message: unknown, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#send('POST', path, {
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
    return answer.body.json();
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    options: { body?: string | Buffer | Readable; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    const answer = await request(`${this.#base}${path}`, {
      method,
      dispatcher: this.#agent,
      body: options.body ?? null,
      headers: { ...this.headers, ...options.headers },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (answer.statusCode < 300) return answer;
    const text = await answer.body.text();
    throw new ProtocolError(
      answer.statusCode,
      `${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`,
    );
  }
}

async function drained(answer: Dispatcher.ResponseData): Promise<void> {
  await answer.body.dump();
}

async function retried<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      const final = error instanceof ProtocolError && error.status !== 503;
      if (final || attempt === RETRIES) throw error;
      await sleep(RETRY_MS * 2 ** attempt);
    }
  }
}
