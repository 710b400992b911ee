/**
 * HTTP by what Node brings, for processes that start often: a library for it would take a fourth of the start of a component,
 * and a third of a command of the tool.
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
  /** Of a body that is a stream, sent behind it. */
  readonly trailers?: () => Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds without a byte after which the connection counts as broken; none when absent. */
  readonly silenceMs?: number;
}

const require = createRequire(import.meta.url);
/** Most servers are spoken with over HTTP, and what encryption takes is slow to load. */
const protocolOf = (url: string): typeof http | typeof https =>
  url.startsWith('https:') ? (require('node:https') as typeof https) : http;

/** An idle connection is used no longer than this: the server, or what stands before it, may close it soon. */
const IDLE_MS = 4_000;

/** Keeps the connections to a server. Nothing but idleness ends them: bodies are of any length, and claims wait long. */
export function agentFor(url: string): http.Agent {
  const options = { keepAlive: true, timeout: IDLE_MS };
  return new (protocolOf(url).Agent)(options);
}

/** Rejects when the connection breaks before the answer begins, or `signal` aborts. `agent` false: over a new connection. */
export async function exchange(
  agent: http.Agent | false,
  url: string,
  { body, silenceMs, trailers, ...message }: Message,
): Promise<http.IncomingMessage> {
  const { request } = protocolOf(url);
  // A stream cannot be sent again, so not over a connection that the server is perhaps just closing.
  const call = request(url, { ...message, agent: body instanceof Readable ? false : agent });
  if (silenceMs !== undefined)
    call.setTimeout(silenceMs, () => call.destroy(new Error(`nothing came for ${silenceMs} ms`)));
  const answered = answerTo(call);
  if (!(body instanceof Readable)) {
    call.end(body);
    return answered;
  }
  call.once('socket', hearOut);
  // Else the request would only say that it was broken off.
  body.once('error', (error) => call.destroy(error));
  // What goes wrong here ends the request, too; a server that has answered wants no more of it.
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

/** What a server has said before it hung up is there by then. */
const LAST_WORDS_MS = 1_000;

/**
 * A server that does not want the rest of a body answers, and hangs up. Node gives such a connection up with the first piece that cannot be
 * sent, and with it the answer that lies there unread: the failure is told later, so that it is read first.
 */
function hearOut(socket: Socket): void {
  /* oxlint-disable no-underscore-dangle -- Node gives these names to what the stream calls for each piece. */
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  const later =
    (done: Written): Written =>
    (error) => {
      if (error) setTimeout(done, LAST_WORDS_MS, error);
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
    // Stays: after the answer has begun, whoever reads it learns of what breaks.
    call.on('error', reject);
  });
}
