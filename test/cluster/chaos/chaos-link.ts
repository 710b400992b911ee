/**
 * A TCP proxy between two processes that can be cut. Data in transit arrives after the repair if the receiver
 * still listens.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Requests, responses, or both. */
export type Direction = 'there' | 'back' | 'both';

export class Link {
  readonly #server: Server;
  /** Sockets, with the direction of the data that each receives. */
  readonly #sockets = new Map<Socket, Exclude<Direction, 'both'>>();
  #target: { readonly host: string; readonly port: number };
  /** The direction in which no data passes now. */
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

  /** Connections stay open: neither side is informed. */
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
        // Stops reading until the receiver accepts the data, so that no large buffer of the proxy survives a
        // cut.
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
