/**
 * The HTTP client for all outgoing requests of the service. It connects only to allowed addresses, uses no proxy and verifies certificates,
 * whatever the environment says.
 */
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { checkHost, guardedLookup, type AddressRule } from './addresses.ts';
import { codeOf } from './no-answer.ts';

export interface HttpRequest {
  /** Without user and password. */
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** Timeout of the head of the answer in milliseconds; 0 or absent: none. */
  readonly headMs?: number;
  /** Maximum milliseconds between two pieces of an answer that is being read; 0 or absent: no limit. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal;
  /** Called when the connection is established and sending begins. */
  readonly onSent?: () => void;
}

export interface Connecting {
  /** Timeout of connecting in milliseconds; 10 s if absent. */
  readonly connectMs?: number;
  /** Wraps the connector that connects only to checked addresses. */
  readonly connector?: (checked: buildConnector.connector) => buildConnector.connector;
}

export type HttpAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** Time for which an idle connection is reused. Many receivers close one after 5 s. */
const IDLE_CONNECTION_MS = 4_000;

export class HttpClient {
  readonly #rule: AddressRule;
  readonly #connecting: Connecting;
  #agent: Promise<Agent> | undefined;

  constructor(rule: AddressRule, connecting: Connecting = {}) {
    this.#rule = rule;
    this.#connecting = connecting;
  }

  /**
   * Sends one request, without following redirections. The caller reads the body, or destroys it. Errors: ForbiddenAddress, those of the
   * network, the reason of the signal.
   */
  async open(wanted: HttpRequest): Promise<HttpAnswer> {
    const { url, method = 'GET', headers, body, headMs = 0, silenceMs = 0, signal, onSent } = wanted;
    checkHost(url, this.#rule);
    const { request } = await import('undici');
    this.#agent ??= this.#connect();
    const agent = await this.#agent;
    signal?.throwIfAborted();
    const answer = request(url, {
      dispatcher: onSent === undefined ? agent : agent.compose(tellMeanwhile(onSent)),
      method,
      // Compressed answers could expand to any size.
      headers: { 'Accept-Encoding': 'identity', ...headers },
      headersTimeout: headMs,
      bodyTimeout: silenceMs,
      ...(body === undefined ? {} : { body }),
      ...(signal && { signal }),
    });
    const safe = answer.then(unheard, codeClip);
    return signal === undefined ? safe : unlessAborted(safe, signal);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Creates the agent. The library is loaded for the first request, because many processes send none. */
  async #connect(): Promise<Agent> {
    const { Agent, buildConnector } = await import('undici');
    const { connectMs: timeout = 10_000, connector = (checkShape) => checkShape } = this.#connecting;
    const lookup = guardedLookup(this.#rule);
    return new Agent({
      connect: connector(buildConnector({ lookup, timeout, rejectUnauthorized: true })),
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    });
  }
}

/** The answer with a body whose errors are ignored: a body that is destroyed early fails. */
const unheard = ({ statusCode, headers, body }: Dispatcher.ResponseData): HttpAnswer => ({
  statusCode,
  headers,
  body: body.on('error', () => undefined),
});

/** Adds a code to the error for an answer that is not HTTP. The library sets none. */
function codeClip(error: unknown): never {
  if (error instanceof Error && error.name === 'HTTPParserError' && codeOf(error) === undefined)
    Object.assign(error, { code: 'HPE_INVALID_CONSTANT' });
  throw error;
}

/** Rejects as soon as the signal is aborted. The library reacts to a signal only after connecting. */
function unlessAborted(answer: Promise<HttpAnswer>, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const listLeft = () => reject(signal.reason as Error);
    signal.addEventListener('abort', listLeft, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', listLeft));
  });
}

function tellMeanwhile(onSent: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (...begun) => {
        onSent();
        handler.onRequestStart?.(...begun);
      },
      onResponseStart: (...head) => handler.onResponseStart?.(...head),
      onResponseData: (...piece) => handler.onResponseData?.(...piece),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}
