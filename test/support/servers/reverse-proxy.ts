/** A real reverse proxy, on loopback or for other hosts, that serves a server below a path, as nginx would. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class ReverseProxy {
  readonly #server: Server;
  #target = '';
  /** Paths that were answered 502, as often as they were. */
  readonly #refused: string[] = [];

  /** `strips`: the path is taken off before the request goes on. */
  private constructor(path: string, strips: boolean) {
    this.#server = createServer((incoming, answer) => {
      const asked = incoming.url ?? '/';
      if (!asked.startsWith(`${path}/`)) return void answer.writeHead(502).end();
      const target = new URL(strips ? asked.slice(path.length) : asked, this.#target);
      const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
      const onward = request(target, { method: incoming.method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      onward.once('error', () => {
        this.#refused.push(asked);
        if (answer.headersSent) answer.destroy();
        else answer.writeHead(502).end();
      });
      // Nobody waits for the answer any more.
      answer.once('close', () => onward.destroy());
      incoming.pipe(onward);
    });
  }

  static async listen(path: string, strips: boolean, at = '127.0.0.1'): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(path, strips);
    await new Promise<void>((resolve) => proxy.#server.listen(0, at, resolve));
    return proxy;
  }

  get origin(): string {
    return this.originAt('127.0.0.1');
  }

  /** As it is called from where this address is known. */
  originAt(address: string): string {
    return `http://${address}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often a path was answered 502 because nobody was there behind. */
  countRefused(path: string): number {
    return this.#refused.filter((one) => one === path).length;
  }

  /** From now on requests go there. */
  serve(target: string): void {
    this.#target = target;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
