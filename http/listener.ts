/** The socket of the server. It opens before the application is created, because the application needs its address. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type Koa from 'koa';

/** Time limit for a request. Answers of components may be long and slow. Requests without a token are refused before their body is read. */
const UPLOAD_MS = 3_600_000;

/**
 * Creates the HTTP server. `keepAliveMs`: time after which an idle connection closes. It must be longer than that of a load balancer in
 * front.
 */
export const createListener = (keepAliveMs: number): Server =>
  createServer({ requestTimeout: UPLOAD_MS, keepAliveTimeout: keepAliveMs }, notYet);

/** Time that a client has to finish sending a body that was answered before it was read. */
const LINGER_MS = 30_000;

/** Passes all further requests to the application. */
export function attach(http: Server, app: Koa, lingerMs = LINGER_MS): void {
  const handle = app.callback();
  http.removeAllListeners('request');
  http.on('request', (request, response) => {
    if (hasBody(request)) response.once('finish', () => cutOffLater(request, lingerMs));
    void handle(request, response);
  });
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Discards an unread body for a limited time, so that its sender reads the answer. The limit is shorter than that of an upload. */
function cutOffLater(request: IncomingMessage, ms: number): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, ms).unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}

/** Answers requests that arrive before the application exists with 503 and Retry-After. */
function notYet(_request: IncomingMessage, response: ServerResponse): void {
  const message = 'The server is starting. Try again in a few seconds.';
  response
    .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ message }));
}

export function listen(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
}

/** Time for which open requests can still be answered when the server closes. */
const LAST_ANSWERS_MS = 1_000;
/** Interval between two checks for idle connections. A new connection usually gets its first request sooner. */
const IDLE_LOOK_MS = 50;

/** Closes each connection after its next answer, so that the client's next request can reach another server. */
export function sendAway(http: Server): void {
  http.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
}

/** Accepts no further connections. Idle connections close at once, the others after their answer. */
export function closeServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    const looking = setInterval(() => http.closeIdleConnections(), IDLE_LOOK_MS);
    const late = setTimeout(() => http.closeAllConnections(), LAST_ANSWERS_MS);
    // The `close` of the HTTP server would also end new connections without a request.
    NetServer.prototype.close.call(http, () => {
      clearInterval(looking);
      clearTimeout(late);
      resolve();
    });
  });
}

/** Returns the URL of the server on this machine. */
export function urlOf(http: Server, host: string): string {
  const { port } = http.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
