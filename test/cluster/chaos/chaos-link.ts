/** The way from one process to another over TCP, which can be cut: what is on it arrives when it is mended, if anybody still listens. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class Link {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: { readonly host: string; readonly port: number };
  #isCut = false;

  private constructor(target: Link['target']) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
  }

  static async to(url: string): Promise<Link> {
    const { hostname: host, port } = new URL(url);
    const link = new Link({ host, port: Number(port) });
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get target() {
    return this.#target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whoever is connected is told nothing. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        // What is not taken at once waits: a cut must not be outlasted by a full buffer of ours.
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (!this.#isCut) from.resume();
      });
      from.on('error', () => undefined);
      from.once('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isCut) from.pause();
    }
  }
}
