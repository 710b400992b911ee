/**
 * Runs the load balancer of the compose file with HAProxy on loopback, in front of servers that a test
 * controls.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { until } from '../support/until.ts';

export type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A server with scripted responses. */
export class Backend {
  handle: Handle = (_, response) => void response.end('served');
  /** Handles health checks. */
  ready: Handle = (_, response) => void response.end();
  /** Method and path of each request. */
  readonly asked: string[] = [];
  readonly #answers: ServerResponse[] = [];
  readonly #server: Server = createServer((request, response) => {
    // The load balancer requests it periodically.
    if (request.url === '/readyz') return void this.ready(request, response);
    this.asked.push(`${request.method} ${request.url}`);
    this.#answers.push(response);
    void this.handle(request, response);
  });
  #port = 0;

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Sends more of the responses that have begun. */
  more(piece: string): void {
    for (const answer of this.#answers) if (answer.headersSent && answer.writable) answer.write(piece);
  }

  /** Ends these responses. */
  end(): void {
    for (const answer of this.#answers) if (answer.headersSent) answer.end();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

export class Haproxy {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** `lines`: the configuration, with `bind :8080`. */
  static async start(lines: string): Promise<Haproxy> {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-haproxy-'));
    const port = await freePort();
    const file = path.join(folder, 'haproxy.cfg');
    const own = lines
      .replaceAll('bind :8080', `bind 127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8079', `127.0.0.1:${await freePort()}`);
    writeFileSync(file, own);
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const haproxy = new Haproxy(`http://127.0.0.1:${port}`, child, folder);
    await until('HAProxy answers', () =>
      fetch(`${haproxy.url}/metrics`, { headers: { host: 'troupe.localhost' } }).then(
        ({ status }) => status === 404,
        () => false,
      ),
    );
    return haproxy;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
