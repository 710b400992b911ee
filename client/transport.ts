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
  /** A server that comes up refuses connections for a moment. */
  readonly connectMs: number;
  /** A busy server answers 503. */
  readonly busyMs: number;
}
const RETRY_POLICY: RetryPolicy = { connectMs: 5_000, busyMs: 60_000 };
const CONNECT_GAP_MS = 200;
/** A service that asks for a longer pause is looked at once more before that. */
const MAX_GAP_MS = 10_000;
const ANSWER_MS = 30_000;

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query. */
  readonly path: string;
  /** A text, or what makes the body anew for each attempt. */
  readonly body?: string | (() => Readable);
  readonly headers?: Readonly<Record<string, string>>;
  /** The request must not happen twice: it is repeated only when it cannot have arrived. The thing that it brings, as errors name it. */
  readonly once?: string;
  /** A good answer is handed on as it comes, instead of being read. */
  readonly streamed?: true;
  /** Time until the head of the answer, and between two parts of it. */
  readonly answerMs?: number;
  /** A busy service is not asked again. */
  readonly impatient?: true;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came; empty when `stream` has it. */
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
   * Repeats what a busy or just starting service, or one that wants a fresh token, did not answer, and says so; `signal`
   * ends that.
   * @throws RefusedError when no token is good there, UnreachableError when nobody answers
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

  /** Once for each reason: silence looks like a tool that hangs. */
  #tell(told: Set<string>, reason: string, { method, path }: Call, patienceMs: number): void {
    if (told.has(reason)) return;
    told.add(reason);
    const request = `${method} ${path.replace(/\?.*$/s, '')}`;
    this.#note(`${reason}. ${request} is retried for up to ${Math.ceil(patienceMs / 1_000)} s.`);
  }

  /** `unanswered`: the request may be sent again. */
  async #once(call: Call, token: string, signal?: AbortSignal): Promise<Answer | 'unanswered'> {
    const { method, path, body, headers, once, streamed, answerMs = ANSWER_MS } = call;
    try {
      // what must not happen twice does not go over a connection that the server is perhaps just closing
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
        // a request that was sent is seen to its end: stopping is for streams, and for the time between two attempts
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

/** A file that is sent cannot be opened: the service has no part in it. */
const isLocal = (error: unknown) => error instanceof Error && 'path' in error;

function retryAfterMs({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_GAP_MS) : 1_000;
}

/** The message of the service, with its Retry-After. */
function busyText(answer: Answer): string {
  const said = messageOf(answer)?.replace(/[.;]$/, '');
  const seconds = Number(answer.headers['retry-after']);
  const wish = Number.isFinite(seconds) && seconds > 0 ? ` (Retry-After: ${Math.ceil(seconds)} s)` : '';
  return `The service is busy or stopping${wish}${said === undefined ? '' : `: ${printable(said)}`}`;
}
