/**
 * The HTTP client for all that leaves the service: it connects only to addresses that are allowed, uses no proxy and verifies
 * certificates, whatever the environment says.
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
  /** Milliseconds until the head of the answer comes; 0 or absent: without limit. */
  readonly headMs?: number;
  /** Milliseconds between two pieces of an answer that somebody reads; 0 or absent: without limit. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal;
  /** Called when there is a connection, as the request begins to leave. */
  readonly onSent?: () => void;
}

export interface Connecting {
  /** Milliseconds until a connection stands; 10 s when absent. */
  readonly connectMs?: number;
  /** Makes a connector of the one that connects to checked addresses. */
  readonly connector?: (checked: buildConnector.connector) => buildConnector.connector;
}

export type HttpAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** Many receivers close a connection that is idle for 5 s; it is not used any more shortly before. */
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
   * One request; no redirection is followed. Whoever asked reads the body, or destroys it. Errors: ForbiddenAddress, those of the
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
      // Packed answers could unpack to any size.
      headers: { 'Accept-Encoding': 'identity', ...headers },
      headersTimeout: headMs,
      bodyTimeout: silenceMs,
      ...(body === undefined ? {} : { body }),
      ...(signal && { signal }),
    });
    const safe = answer.then(unheard, codeClip);
    return signal === undefined ? safe : unlessAborted(safe, signal);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** The library is loaded for the first request that leaves: many processes send none. */
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

/** A body that is destroyed before its end fails, which nobody need hear of. */
const unheard = ({ statusCode, headers, body }: Dispatcher.ResponseData): HttpAnswer => ({
  statusCode,
  headers,
  body: body.on('error', () => undefined),
});

/** The library gives no code to what does not even begin like HTTP. */
function codeClip(error: unknown): never {
  if (error instanceof Error && error.name === 'HTTPParserError' && codeOf(error) === undefined)
    Object.assign(error, { code: 'HPE_INVALID_CONSTANT' });
  throw error;
}

/** The library hears of a signal only when there is a connection. */
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
