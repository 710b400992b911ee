import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentFor, exchange, type Message } from './exchange.ts';
import type { StreamAnswer, StreamEnd, StreamEvents } from '../../protocol/streams.ts';
import {
  INSTANCE_HEADER,
  type AnswersAnswer,
  type AnswersRequest,
  type Assignment,
  type ClaimAnswer,
  type ClaimRequest,
  type FailureRequest,
  type SubJobAnswer,
} from '../../protocol/worker-protocol.ts';

/** The server answered something else than success. 409: the lease is lost; 503: come back later. */
export class ProtocolError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.status = status;
  }
}

/** Of this process, as it is named to the server: no two have the same. */
function instanceName(): string {
  const host = os.hostname().replace(/[^\w.-]/g, '');
  return `${host.slice(0, 60)}:${process.pid}:${randomBytes(4).toString('hex')}`;
}

export type ResultBody = string | Buffer | AsyncIterable<string | Uint8Array>;

/** Servers of older versions have no path for several answers. */
const NOT_THERE = 404;
const RETRIES = 6;
const RETRY_MS = 200;
const JSON_TYPE = 'application/json';
/** What tells of a live stream and gets no answer for so long (milliseconds) is sent anew. */
const STREAM_SILENCE_MS = 10_000;

/**
 * The worker protocol, one method a message (heartbeats have a thread of their own). What is safe to repeat is repeated while the
 * server is busy or away.
 */
export class WorkerClient {
  /** Where the leases of this client are. */
  readonly leases: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #base: string;
  readonly #agent: ReturnType<typeof agentFor>;
  /** The server is of a version that takes answers one by one. */
  #isOld = false;

  constructor(serverUrl: string, token: string) {
    this.#base = `${serverUrl.replace(/\/$/, '')}/worker/v1`;
    this.leases = `${this.#base}/leases`;
    this.headers = { authorization: `Bearer ${token}`, [INSTANCE_HEADER]: instanceName() };
    this.#agent = agentFor(serverUrl);
  }

  async claim(claim: ClaimRequest, signal: AbortSignal): Promise<readonly Assignment[]> {
    // An old server wants a heartbeat for each sub-job that it hands out: one at a time is beaten for.
    const wanted = this.#isOld ? { ...claim, max: 1 } : claim;
    const answer = (await this.#json('/claim', wanted, signal)) as ClaimAnswer;
    return answer.work;
  }

  /** Answers several sub-jobs, and claims more. */
  async answers(answers: AnswersRequest): Promise<AnswersAnswer> {
    try {
      if (!this.#isOld) return (await retried(() => this.#json('/answers', answers))) as AnswersAnswer;
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.status !== NOT_THERE) throw error;
      this.#isOld = true;
    }
    const refused: (string | null)[] = [];
    for (const answer of answers.answers) refused.push(await this.#refusalOf(answer));
    return { refused, work: [] };
  }

  /** Null when the answer was taken. */
  async #refusalOf({ token, lines, failure }: SubJobAnswer): Promise<string | null> {
    try {
      if (lines !== undefined) await this.result(token, lines);
      else if (failure !== undefined) await this.failure(token, failure);
      else await this.release(token);
      return null;
    } catch (error) {
      if (error instanceof ProtocolError) return error.message;
      throw error;
    }
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
    // Read to its end: only then the connection is used again.
    await json(await (repeatable ? retried(send) : send()));
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
    return this.#send('GET', path.replace(/^\/worker\/v1/, ''), {});
  }

  /** NDJSON of a segment of a live stream, its summary last. This and the next three send once: `StreamReport` repeats. */
  async segment(token: string, number: number, lines: string, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#told('POST', `/leases/${token}/segments/${number}`, lines, 'application/x-ndjson', signal);
  }

  async events(token: string, events: StreamEvents, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#told('POST', `/leases/${token}/events`, JSON.stringify(events), JSON_TYPE, signal);
  }

  /** The newest picture of a live stream, as a JPEG. */
  async frame(token: string, picture: Buffer, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#told('PUT', `/leases/${token}/frame`, picture, 'image/jpeg', signal);
  }

  async end(token: string, end: StreamEnd, signal?: AbortSignal): Promise<void> {
    await this.#told('POST', `/leases/${token}/end`, JSON.stringify(end), JSON_TYPE, signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #told(
    method: 'POST' | 'PUT',
    path: string,
    body: string | Buffer,
    type: string,
    signal: AbortSignal | undefined,
  ): Promise<StreamAnswer> {
    const answer = await this.#send(method, path, {
      body,
      headers: { 'content-type': type },
      silenceMs: STREAM_SILENCE_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    return { go: 'on', ...((await json(answer)) as Partial<StreamAnswer>) };
  }

  async #json(path: string, message: unknown, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#send('POST', path, {
      body: JSON.stringify(message),
      headers: { 'content-type': JSON_TYPE },
      ...(signal === undefined ? {} : { signal }),
    });
    return json(answer);
  }

  async #send(
    method: Message['method'],
    path: string,
    { headers, ...message }: Partial<Omit<Message, 'method'>>,
  ): Promise<IncomingMessage> {
    const answer = await exchange(this.#agent, `${this.#base}${path}`, {
      ...message,
      method,
      headers: { ...this.headers, ...headers },
    });
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw new ProtocolError(
      statusCode,
      `${method} ${path}: ${statusCode} ${(await text(answer)).slice(0, 500)}`,
    );
  }
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
