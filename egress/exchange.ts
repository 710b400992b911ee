import type { ClientRequest, IncomingMessage } from 'node:http';
import { ForbiddenAddress } from './addresses.ts';
import type { OutgoingAgents } from './agent.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST; JSON text unless `contentType` says otherwise. */
  readonly body?: string | Buffer;
  readonly contentType?: string;
  /** Whole time of the request, in milliseconds, the answer included. */
  readonly timeoutMs: number;
  /** Bytes of the answer that are read; the rest is cut off. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
  readonly bytes: Buffer;
  /** The answer was longer than what was read. */
  readonly cut: boolean;
}

/** There was no answer. The message is part of a sentence and holds no secret. */
export class NoAnswer extends Error {
  /** Another attempt would meet the same. */
  readonly final: boolean;
  constructor(message: string, final: boolean, cause?: unknown) {
    super(message, { cause });
    this.final = final;
  }
}

/**
 * One guarded HTTP request: no redirection is followed, no proxy used, certificates are verified, user and password of the URL go
 * as basic authorization to its own host unless `headers` say otherwise.
 * @throws NoAnswer
 */
export async function exchange(agents: OutgoingAgents, request: ExchangeRequest): Promise<Answer> {
  const { url, agent } = target(agents, request.url);
  const got: { response?: IncomingMessage; chunks: Buffer[] } = { chunks: [] };
  const { username, password } = url;
  url.username = '';
  url.password = '';
  // Loaded for the first request that leaves: many servers send none.
  const { default: superagent } = await import('superagent');
  const call = superagent(request.method, url.href)
    .agent(agent)
    .redirects(0)
    .ok(() => true)
    .timeout({ deadline: request.timeoutMs })
    .maxResponseSize(request.maxBytes)
    .buffer(true)
    .parse((response: unknown, done: (error: Error | null, body: unknown) => void) => {
      const stream = response as IncomingMessage;
      got.response = stream;
      stream.on('data', (chunk: Buffer) => got.chunks.push(chunk));
      stream.on('end', () => done(null, null));
    });
  let connected = false;
  call.once('request', () => whenConnected(call, () => (connected = true)));
  const abort = () => void call.abort();
  request.signal?.addEventListener('abort', abort, { once: true });
  try {
    if (request.signal?.aborted === true) throw new NoAnswer('the service is shutting down', false);
    // Packed answers could unpack to any size.
    call.set({ 'Accept-Encoding': 'identity', ...basic(username, password), ...request.headers });
    if (request.body !== undefined) call.type(request.contentType ?? 'application/json').send(request.body);
    await call;
    return answerOf(got, request.maxBytes, false);
  } catch (error) {
    if (codeOf(error) === 'ETOOLARGE') return answerOf(got, request.maxBytes, true);
    throw error instanceof NoAnswer ? error : noAnswer(error, request, connected);
  } finally {
    request.signal?.removeEventListener('abort', abort);
  }
}

/** Who does not answer before that may not be there at all. */
function whenConnected(call: unknown, then: () => void): void {
  (call as { readonly req: ClientRequest }).req.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', then);
    else then();
  });
}

export function target(agents: OutgoingAgents, text: string) {
  if (!URL.canParse(text)) throw new NoAnswer('its URL is malformed', true);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new NoAnswer('its URL is neither http nor https', true);
  try {
    return { url, agent: agents.agentFor(url) };
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw new NoAnswer(error.message, true, error);
    throw error;
  }
}

export function basic(username: string, password: string): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function answerOf(
  { response, chunks }: { response?: IncomingMessage; chunks: readonly Buffer[] },
  maxBytes: number,
  cut: boolean,
): Answer {
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return {
    status: response?.statusCode ?? 0,
    header: (name) => {
      const value = response?.headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
    bytes,
    get text() {
      return bytes.toString('utf8');
    },
    cut,
  };
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EPIPE: 'the connection was closed before the request was taken',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be resolved just now',
  ETIMEDOUT: 'it could not be connected to',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ABORTED: 'the service is shutting down',
};

/** `connected`: somebody took the connection. The cause of who never did has the code ETIMEDOUT. */
export function noAnswer(
  error: unknown,
  { timeoutMs }: Pick<ExchangeRequest, 'timeoutMs'>,
  connected = true,
): NoAnswer {
  if (error instanceof ForbiddenAddress) return new NoAnswer(error.message, true, error);
  const code = codeOf(error);
  if (code === 'ECONNABORTED' && !connected)
    return new NoAnswer(`it could not be connected to within ${timeoutMs} ms`, false, { code: 'ETIMEDOUT' });
  if (code === 'ECONNABORTED')
    return new NoAnswer(`there was no complete answer within ${timeoutMs} ms`, false, error);
  const known = code === undefined ? undefined : SENTENCES[code];
  if (known !== undefined) return new NoAnswer(known, false, error);
  const message = error instanceof Error && error.message !== '' ? error.message : (code ?? 'unknown reason');
  // A header that cannot be sent today cannot be sent tomorrow.
  return new NoAnswer(message, code?.startsWith('ERR_INVALID_') === true, error);
}
