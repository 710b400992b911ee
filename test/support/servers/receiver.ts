/** A real receiver of callbacks and archive posts: records what comes and answers as a test wants it. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Idempotency-Key. */
  readonly key: string;
  /** Milliseconds of a clock that only goes forward. */
  readonly at: number;
  /** Requests that were being answered when it came, itself included. */
  readonly atATime: number;
}

export type Manner = (received: Received, response: ServerResponse) => void;

export const answer =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Manner =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
export const hang: Manner = () => undefined;
export const drop: Manner = (_, response) => void response.socket?.destroy();
/** A byte now and then, without end. */
export const drip: Manner = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 20);
  response.once('close', () => clearInterval(timer));
};
/** As much as the client takes, without end. */
export const flood =
  (status: number): Manner =>
  (_, response) => {
    response.writeHead(status);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16 * 1024)));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  };
/** Answers the nth request in the nth manner, all others in the last. */
export const inTurn = (...manners: readonly Manner[]): Manner => {
  let turn = 0;
  return (received, response) => manners[Math.min(turn++, manners.length - 1)]!(received, response);
};

export class Receiver {
  readonly requests: Received[] = [];
  /** How requests are answered from now on. */
  manner: Manner;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #scheme: string;
  #open = 0;
  #port = 0;

  private constructor(manner: Manner, tls?: ServerOptions) {
    this.manner = manner;
    const listener: RequestListener = (request, response) => void this.#take(request, response);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** On a port of its own, or on that of one that was closed. */
  static async start(
    manner: Manner = answer(200),
    { port = 0, tls }: { readonly port?: number; readonly tls?: ServerOptions } = {},
  ): Promise<Receiver> {
    const receiver = new Receiver(manner, tls);
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject);
      receiver.#server.listen(port, '127.0.0.1', resolve);
    });
    receiver.#port = (receiver.#server.address() as AddressInfo).port;
    return receiver;
  }

  /** The same after its end. */
  get port(): number {
    return this.#port;
  }

  /** Without a slash at its end. */
  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** How often each key came. */
  get keys(): ReadonlyMap<string, number> {
    const keys = new Map<string, number>();
    for (const { key } of this.requests) keys.set(key, (keys.get(key) ?? 0) + 1);
    return keys;
  }

  /** Connections that were made and are still open. */
  get connections(): number {
    return this.#sockets.size;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const atATime = ++this.#open;
    response.once('close', () => this.#open--);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const received: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      key: String(request.headers['idempotency-key']),
      at,
      atATime,
    };
    this.requests.push(received);
    this.manner(received, response);
  }
}
