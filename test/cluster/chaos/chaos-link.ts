/** The way from one process to another over TCP, which can be cut: what is on it arrives when it is mended, if anybody still listens. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What is asked, what is answered, or both. */
export type Direction = 'there' | 'back' | 'both';

export class Link {
  readonly #server: Server;
  /** Each end, and in which direction it brings bytes. */
  readonly #sockets = new Map<Socket, Exclude<Direction, 'both'>>();
  #target: { readonly host: string; readonly port: number };
  /** Ends of connections over which nothing comes in now. */
  #cut: Direction | undefined;

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
  cut(direction: Direction = 'both'): void {
    this.#cut = direction;
    for (const socket of this.#sockets.keys()) if (this.#isCut(socket)) socket.pause();
  }

  mend(): void {
    this.#cut = undefined;
    for (const socket of this.#sockets.keys()) socket.resume();
  }

  #isCut(socket: Socket): boolean {
    return this.#cut === 'both' || (this.#cut !== undefined && this.#sockets.get(socket) === this.#cut);
  }

  close(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    for (const [from, to, direction] of [
      [near, far, 'there'],
      [far, near, 'back'],
    ] as const) {
      this.#sockets.set(from, direction);
      from.on('data', (bytes: Buffer) => {
        // What is not taken at once waits: a cut must not be outlasted by a full buffer of ours.
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (!this.#isCut(from)) from.resume();
      });
      from.on('error', () => undefined);
      from.once('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isCut(from)) from.pause();
    }
  }
}
