/** The socket of the server: it is opened before the application is put together, which has to know its address. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type Koa from 'koa';

/** Answers of components may be long and slow; whoever has no token is turned away before a body is read. */
const UPLOAD_MS = 3_600_000;

/** `keepAliveMs`: how long an idle connection stays open; longer than a load balancer in front keeps it. */
export const createListener = (keepAliveMs: number): Server =>
  createServer({ requestTimeout: UPLOAD_MS, keepAliveTimeout: keepAliveMs }, notYet);

/** Time that a client has to end a body that was answered before it was read. */
const LINGER_MS = 30_000;

/** From now on the application handles the requests. */
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

/** A body that nobody wants is dropped for a while, so that its sender sees the answer, but not for as long as an upload may last. */
function cutOffLater(request: IncomingMessage, ms: number): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, ms).unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}

/** Who comes before the application is put together is asked to come again. */
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

/** Requests that have come are answered for so long. */
const LAST_ANSWERS_MS = 1_000;
/** On a connection that has just come about something is asked soon. */
const IDLE_LOOK_MS = 50;

/** From now on each connection closes after its answer, so that the client's next request can reach another server. */
export function sendAway(http: Server): void {
  http.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
}

/** Accepts no further connections. Idle ones close at once, the others after their answer. */
export function closeServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    const looking = setInterval(() => http.closeIdleConnections(), IDLE_LOOK_MS);
    const late = setTimeout(() => http.closeAllConnections(), LAST_ANSWERS_MS);
    // That of an HTTP server ends at once on which nothing is asked yet.
    NetServer.prototype.close.call(http, () => {
      clearInterval(looking);
      clearTimeout(late);
      resolve();
    });
  });
}

/** Where the server is reached on this machine. */
export function urlOf(http: Server, host: string): string {
  const { port } = http.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
