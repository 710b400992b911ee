/** A text medium that is not sent until the test says so. A job with it runs until then. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class SlowMedium {
  readonly url: string;
  /** Number of requests. */
  asked = 0;
  readonly #server: Server;
  readonly #text: string;
  readonly #waiting = new Set<ServerResponse>();
  #isGiven = false;

  private constructor(server: Server, text: string) {
    this.#server = server;
    this.#text = text;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/note.txt`;
    server.on('request', (_request, response: ServerResponse) => {
      this.asked++;
      this.#waiting.add(response);
      if (this.#isGiven) this.give();
    });
  }

  static async listen(text = ''): Promise<SlowMedium> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowMedium(server, text);
  }

  /** Answers all waiting and future requests. */
  give(): void {
    this.#isGiven = true;
    for (const response of this.#waiting)
      response.writeHead(200, { 'content-type': 'text/plain' }).end(this.#text);
    this.#waiting.clear();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
