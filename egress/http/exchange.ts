/** Sends one request and reads the whole answer, with limits of time and bytes. */
import { takeCredentials } from './credentials.ts';
import type { HttpAnswer, HttpClient } from './http-client.ts';
import { NoAnswer, noAnswer, stopWhenUnwanted, tooLate } from './no-answer.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of a POST; JSON text unless `contentType` is set. */
  readonly body?: string | Buffer;
  readonly contentType?: string;
  /** Timeout of the whole request in milliseconds, including the answer; 0: none. */
  readonly timeoutMs: number;
  /** Maximum bytes of the answer that are read. The rest is cut off. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
  readonly bytes: Buffer;
  /** True if the answer was longer than the limit. */
  readonly cut: boolean;
}

/**
 * Sends one HTTP request to an allowed address, without following redirections. User and password of the URL are sent as basic
 * authorization to its own host, unless `headers` contain another. @throws NoAnswer
 */
export async function exchange(client: HttpClient, request: ExchangeRequest): Promise<Answer> {
  const { method, body, timeoutMs, maxBytes, signal } = request;
  const { url, headers } = requestOf(request);
  const stop = new AbortController();
  let sent = false;
  const late = () => stop.abort(tooLate(timeoutMs, sent));
  const timer = timeoutMs === 0 ? undefined : setTimeout(late, timeoutMs);
  const leave = () => stop.abort(stopWhenUnwanted());
  signal?.addEventListener('abort', leave, { once: true });
  try {
    if (signal?.aborted === true) throw stopWhenUnwanted();
    const onSent = () => void (sent = true);
    const answer = await client.open({ url, method, headers, body, signal: stop.signal, onSent });
    return answerOf(answer, await beginningOf(answer, maxBytes), maxBytes);
  } catch (error) {
    throw noAnswer(error, timeoutMs);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

function requestOf({ url: text, headers, body, contentType = 'application/json' }: ExchangeRequest) {
  const url = httpUrl(text);
  const authorization = takeCredentials(url);
  return {
    url,
    headers: {
      ...authorization,
      ...(body === undefined ? {} : { 'Content-Type': contentType }),
      ...headers,
    },
  };
}

/** @throws NoAnswer */
export function httpUrl(text: string): URL {
  if (!URL.canParse(text)) throw new NoAnswer('its URL is malformed', true);
  const url = new URL(text);
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw new NoAnswer('its URL is neither http nor https', true);
}

/** Reads one byte beyond the limit, to notice that the answer is longer. */
async function beginningOf({ body }: HttpAnswer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

export function answerOf(
  { statusCode, headers }: Pick<HttpAnswer, 'statusCode' | 'headers'>,
  read: Buffer,
  maxBytes: number,
): Answer {
  const bytes = read.subarray(0, maxBytes);
  return {
    status: statusCode,
    header: (name) => [headers[name.toLowerCase()]].flat()[0],
    bytes,
    get text() {
      return bytes.toString('utf8');
    },
    cut: read.length > maxBytes,
  };
}
