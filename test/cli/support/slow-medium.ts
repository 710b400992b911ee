/** A text that is given to nobody until the test says so: the job that asks for it goes on until then. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class SlowMedium {
  readonly url: string;
  /** How often it was asked for. */
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

  /** From now on whoever asks gets it, and those who wait. */
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
