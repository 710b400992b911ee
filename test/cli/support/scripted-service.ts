/** A service with scripted responses, for cases that a real service rarely produces. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Runs a service that uses one handler per request. */
export async function withService(
  handlers: readonly Handler[],
  use: (url: string, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const handler = handlers[asked.length];
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    if (handler === undefined) response.writeHead(500).end();
    else handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const answer =
  (status: number, body: object | undefined, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
