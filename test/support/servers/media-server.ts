/** A web server of media: some come at once, some byte by byte. It counts how many are on their way. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { sampleUri } from '../processes/service.ts';

/** Of a medium that comes byte by byte: long enough for no test to see its end. */
const SLOW_BYTES = 9_000_000;

export class MediaServer {
  readonly #server: Server;
  readonly #picture = readFileSync(fileURLToPath(sampleUri('hello-world.png')));
  readonly #slow = new Set<ServerResponse>();
  readonly #byteMs: number;
  /** Slow media that are being sent, and the most that were so at a time. */
  sending = 0;
  most = 0;
  /** Requests for slow media, so far. */
  asked = 0;

  private constructor(server: Server, byteMs: number) {
    this.#server = server;
    this.#byteMs = byteMs;
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response),
    );
  }

  /** `byteMs`: a byte of a slow medium comes so often. */
  static async start(byteMs = 10_000): Promise<MediaServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MediaServer(server, byteMs);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  picture(name: number | string): string {
    return `http://${this.host}/picture-${name}.png`;
  }

  slow(name: number | string): string {
    return `http://${this.host}/slow-${name}.png`;
  }

  /** Slow media come whole from now on, and those that are being sent break off. */
  hurry(): void {
    for (const response of this.#slow) response.destroy();
    this.#isQuick = true;
  }
  #isQuick = false;

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const isSlow = url.startsWith('/slow-') && !this.#isQuick;
    const length = isSlow ? SLOW_BYTES : this.#picture.length;
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(length) });
    if (!isSlow) return void response.end(this.#picture);
    this.asked += 1;
    this.#slow.add(response);
    this.most = Math.max(this.most, (this.sending += 1));
    response.write(this.#picture.subarray(0, 1));
    const timer = setInterval(() => response.write(this.#picture.subarray(0, 1)), this.#byteMs);
    response.once('close', () => {
      clearInterval(timer);
      this.#slow.delete(response);
      this.sending -= 1;
    });
  }
}
