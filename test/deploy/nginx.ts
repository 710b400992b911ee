/** The balancer of the compose file, run by nginx on loopback in front of servers that a test controls. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { until } from '../support/until.ts';

export type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A server that answers as a test wants. */
export class Backend {
  handle: Handle = (_, response) => void response.end('served');
  /** Method and path of each request that has come. */
  readonly asked: string[] = [];
  readonly #answers: ServerResponse[] = [];
  readonly #server: Server = createServer((request, response) => {
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

  /** Goes on with the answers that it has begun. */
  more(piece: string): void {
    for (const answer of this.#answers) if (answer.headersSent && answer.writable) answer.write(piece);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

export class Nginx {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** `lines`: of its block `http`, with `listen 8080`. */
  static async start(lines: string): Promise<Nginx> {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-nginx-'));
    const port = await freePort();
    mkdirSync(path.join(folder, 'logs'));
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join('\n');
    const own = lines.replaceAll('listen 8080', `listen 127.0.0.1:${port}`);
    const file = path.join(folder, 'nginx.conf');
    const frame = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${own}}\n`;
    writeFileSync(file, frame);
    const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const nginx = new Nginx(`http://127.0.0.1:${port}`, child, folder);
    await until('nginx answers', () =>
      fetch(`${nginx.url}/metrics`, { headers: { host: 'troupe.localhost' } }).then(
        ({ status }) => status === 404,
        () => false,
      ),
    );
    return nginx;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
