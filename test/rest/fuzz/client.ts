/**
 * A client without checks of its own: it sends the given bytes and waits for an answer until the deadline.
 */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { SeenAnswer } from '../../support/openapi.ts';

export interface Message {
  readonly method: string;
  /** Path and query, exactly as sent in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Every request of the fuzz test must be answered within this time. */
export const DEADLINE_MS = 20_000;

export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #port: number;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /** Closes an event stream after its first event. */
  async send(message: Message): Promise<SeenAnswer> {
    try {
      return await this.#exchange(message);
    } catch (error) {
      // If the head is too large, the server may close the connection before the client can read the answer.
      if (codeOf(error) === 'ECONNRESET' && headOf(message) > MAX_HEAD)
        return { status: 431, headers: new Headers(), text: '', body: undefined };
      // The server closed the idle connection before this request.
      if (!(error instanceof Stale)) throw error;
      return this.#exchange(message);
    }
  }

  #exchange({ method, target, headers, body }: Message): Promise<SeenAnswer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        path: target,
        headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      sent.once('error', (error) =>
        reject(codeOf(error) === 'ECONNRESET' && sent.reusedSocket ? new Stale() : error),
      );
      sent.once('response', (response) => void readAnswer(response).then(resolve, reject));
      sent.end(body);
    });
  }

  /**
   * Sends bytes over a new connection and returns all that the server sends until it closes. With `open`, the
   * client does not end its side, so the server has to.
   */
  raw(bytes: string | Buffer, { open = false } = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      let got = '';
      const socket = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
      const late = setTimeout(() => {
        socket.destroy();
        reject(
          new Error(
            `The connection was still open after ${DEADLINE_MS} ms; answered was ${got.slice(0, 300)}`,
          ),
        );
      }, DEADLINE_MS);
      socket.setEncoding('latin1').on('data', (text: string) => {
        got += text;
      });
      socket.on('end', () => socket.end());
      // The server may close the connection while the client still sends.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(late);
        resolve(got);
      });
      if (open) socket.write(bytes);
      else socket.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

class Stale extends Error {
  readonly code = 'ECONNRESET';
}

/** Slightly less than Node's limit for the request line and headers together. */
const MAX_HEAD = 15_000;
const headOf = ({ target, headers }: Message) => target.length + JSON.stringify(headers).length;
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function readAnswer(response: IncomingMessage): Promise<SeenAnswer> {
  const headers = new Headers();
  for (let n = 0; n + 1 < response.rawHeaders.length; n += 2)
    headers.append(response.rawHeaders[n]!, response.rawHeaders[n + 1]!);
  const watching = (headers.get('content-type') ?? '').startsWith('text/event-stream');
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (watching && text.includes('data: ')) break;
  }
  return { status: response.statusCode ?? 0, headers, text, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
