/** Requests to the service, with retries. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { agentFor, exchange } from '../egress/node-http.ts';
import { messageOf } from './answer-text.ts';
import { ClientError, reasonOf, RefusedError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';
import { printable } from '../domain/text/printable.ts';
import type { TokenSource } from './token-source.ts';

export interface RetryPolicy {
  /** Time during which refused connections are retried. A starting server refuses connections for a moment. */
  readonly connectMs: number;
  /** Time during which 503 answers of a busy server are retried. */
  readonly busyMs: number;
}
const RETRY_POLICY: RetryPolicy = { connectMs: 5_000, busyMs: 60_000 };
const CONNECT_GAP_MS = 200;
/** Maximum pause between attempts, even if the service requests a longer one. */
const MAX_GAP_MS = 10_000;
const ANSWER_MS = 30_000;

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with the query. */
  readonly path: string;
  /** A text, or a function that creates the body for each attempt. */
  readonly body?: string | (() => Readable);
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the resource that the request creates, for error messages. Such a request is retried only if it cannot have arrived. */
  readonly once?: string;
  /** A successful answer is returned as a stream instead of being read. */
  readonly streamed?: true;
  /** Timeout for the head of the answer, and between two parts of it. */
  readonly answerMs?: number;
  /** Do not retry when the service is busy. */
  readonly impatient?: true;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body. Empty if the body is in `stream`. */
  readonly text: string;
  readonly stream?: Readable;
}

export class Transport {
  readonly url: string;
  readonly #tokens: TokenSource;
  readonly #retryPolicy: RetryPolicy;
  readonly #note: (text: string) => void;
  readonly #agent: ReturnType<typeof agentFor>;

  constructor(
    url: string,
    tokens: TokenSource,
    retryPolicy: RetryPolicy = RETRY_POLICY,
    note: (text: string) => void = () => undefined,
  ) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#tokens = tokens;
    this.#retryPolicy = retryPolicy;
    this.#note = note;
    this.#agent = agentFor(url);
  }

  /**
   * Sends a request. Retries if the service is busy or starting, or requires a new token, and reports this. `signal` ends the retries.
   * @throws RefusedError if no token is accepted, UnreachableError if the service does not answer
   */
  async ask(call: Call, signal?: AbortSignal): Promise<Answer> {
    const started = performance.now();
    const told = new Set<string>();
    for (let renewed = false; ;) {
      const token = await this.#tokens.current();
      const answer = await this.#once(call, token, signal);
      const waited = performance.now() - started;
      let gapMs = CONNECT_GAP_MS;
      if (answer === 'unanswered') {
        if (waited > this.#retryPolicy.connectMs) throw new UnreachableError(this.url);
        this.#tell(told, `No service answers at ${this.url}`, call, this.#retryPolicy.connectMs);
      } else if (answer.status === 503) {
        if (call.impatient === true || waited > this.#retryPolicy.busyMs) return answer;
        gapMs = retryAfterMs(answer);
        this.#tell(told, busyText(answer), call, this.#retryPolicy.busyMs);
      } else if (answer.status === 401) {
        if (renewed || !this.#tokens.renewAfterRefusal(token))
          throw new RefusedError(
            401,
            `The service at ${this.url} does not accept the token. ${this.#tokens.advice}`,
          );
        renewed = true;
        gapMs = 0;
      } else return answer;
      await pause(gapMs, signal);
      if (signal?.aborted === true) throw stopError(call);
    }
  }

  /** Reports each reason once, because a silent tool seems to hang. */
  #tell(told: Set<string>, reason: string, { method, path }: Call, patienceMs: number): void {
    if (told.has(reason)) return;
    told.add(reason);
    const request = `${method} ${path.replace(/\?.*$/s, '')}`;
    this.#note(`${reason}. ${request} is retried for up to ${Math.ceil(patienceMs / 1_000)} s.`);
  }

  /** Sends a request once. `unanswered`: the request may be sent again. */
  async #once(call: Call, token: string, signal?: AbortSignal): Promise<Answer | 'unanswered'> {
    const { method, path, body, headers, once, streamed, answerMs = ANSWER_MS } = call;
    try {
      // a request that must not be repeated needs a new connection, because the server may be closing an idle one
      const agent = once === undefined ? this.#agent : false;
      const response = await exchange(agent, `${this.url}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          authorization: `Bearer ${token}`,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : body() }),
        silenceMs: answerMs,
        // a sent request is completed: `signal` ends only streams, and the time between two attempts
        ...(streamed === true && signal !== undefined ? { signal } : {}),
      });
      const { statusCode: status = 0, headers: given } = response;
      if (streamed === true && (status === 200 || status === 206))
        return { status, headers: given, text: '', stream: response };
      return { status, headers: given, text: await text(response) };
    } catch (error) {
      if (signal?.aborted === true && streamed === true) throw stopError(call);
      if (error instanceof ClientError || isLocal(error)) throw error;
      if (once === undefined || (error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'unanswered';
      const unknown = `It may have accepted the ${once}.`;
      throw new ClientError(
        `The service at ${this.url} closed the connection: ${reasonOf(error)}. ${unknown}`,
        {
          begun: true,
        },
      );
    }
  }
}

const stopError = ({ once }: Call) =>
  new ClientError(once === undefined ? 'Stopped.' : `Stopped before the service accepted the ${once}.`, {
    begun: true,
  });

/** True if a local file could not be opened. The service is not the cause. */
const isLocal = (error: unknown) => error instanceof Error && 'path' in error;

function retryAfterMs({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_GAP_MS) : 1_000;
}

/** Returns the message of the service, with its Retry-After. */
function busyText(answer: Answer): string {
  const said = messageOf(answer)?.replace(/[.;]$/, '');
  const seconds = Number(answer.headers['retry-after']);
  const wish = Number.isFinite(seconds) && seconds > 0 ? ` (Retry-After: ${Math.ceil(seconds)} s)` : '';
  return `The service is busy or stopping${wish}${said === undefined ? '' : `: ${printable(said)}`}`;
}
