/** A way to a server on which the other end can vanish without a word, as a host does whose power is cut. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async to(port: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, '127.0.0.1');
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.pipe(server).pipe(client);
    });
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Connections that there are stay open, and nothing goes over them any more; new ones lead to the server. */
  vanish(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.removeAllListeners('end');
      // What comes is taken and goes nowhere, so that nobody sees a full buffer.
      socket.resume();
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
