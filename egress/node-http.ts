/**
 * HTTP with Node's own modules, for processes that start often. A library would take a quarter of the start of a component, and a third of
 * a command of the tool.
 */
import http from 'node:http';
import type https from 'node:https';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Message {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
  /** Trailers of a body that is a stream. */
  readonly trailers?: () => Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Time in milliseconds without a byte after which the connection counts as broken. Absent: none. */
  readonly silenceMs?: number;
}

const require = createRequire(import.meta.url);
/** Loads https only if needed: most servers use http, and loading TLS is slow. */
const protocolOf = (url: string): typeof http | typeof https =>
  url.startsWith('https:') ? (require('node:https') as typeof https) : http;

/** Time for which an idle connection is reused. The server, or a proxy, may close it soon afterwards. */
const IDLE_MS = 4_000;

/** Keeps the connections to a server. Only idle ones are closed, because bodies have any length, and claims wait long. */
export function agentFor(url: string): http.Agent {
  const options = { keepAlive: true, timeout: IDLE_MS };
  return new (protocolOf(url).Agent)(options);
}

/** Rejects if the connection breaks before the answer begins, or if `signal` is aborted. `agent` false: uses a new connection. */
export async function exchange(
  agent: http.Agent | false,
  url: string,
  { body, silenceMs, trailers, ...message }: Message,
): Promise<http.IncomingMessage> {
  const { request } = protocolOf(url);
  // A stream cannot be sent again, so it must not use a connection that the server may be closing.
  const call = request(url, { ...message, agent: body instanceof Readable ? false : agent });
  if (silenceMs !== undefined)
    call.setTimeout(silenceMs, () => call.destroy(new Error(`nothing came for ${silenceMs} ms`)));
  const answered = answerTo(call);
  if (!(body instanceof Readable)) {
    call.end(body);
    return answered;
  }
  call.once('socket', readLastAnswer);
  // Otherwise the request would only report that it was aborted.
  body.once('error', (error) => call.destroy(error));
  // A failure here also ends the request. A server that has answered needs no more of the body.
  void sendAll(body, call, trailers).catch(() => undefined);
  const answer = await answered;
  return answer.once('close', () => body.destroy());
}

async function sendAll(
  body: Readable,
  call: http.ClientRequest,
  trailers: Message['trailers'],
): Promise<void> {
  if (trailers === undefined) return pipeline(body, call);
  await pipeline(body, call, { end: false });
  call.addTrailers(trailers());
  call.end();
}

/** Time to wait for an answer that the server sent before it closed the connection. */
const LAST_ANSWER_MS = 1_000;

/**
 * A server that does not want the rest of a body answers and closes the connection. Node would then discard the unread answer at the first
 * failed write. So the failure is reported later, and the answer is read first.
 */
function readLastAnswer(socket: Socket): void {
  /* oxlint-disable no-underscore-dangle -- Node gives these names to what the stream calls for each piece. */
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  const later =
    (done: Written): Written =>
    (error) => {
      if (error) setTimeout(done, LAST_ANSWER_MS, error);
      else done();
    };
  socket._write = (chunk, encoding, done) => write(chunk, encoding, later(done));
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, later(done));
  /* oxlint-enable no-underscore-dangle */
}
type Written = (error?: Error | null) => void;

function answerTo(call: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.once('response', resolve);
    // This listener stays. After the start of the answer, its reader gets errors.
    call.on('error', reject);
  });
}
