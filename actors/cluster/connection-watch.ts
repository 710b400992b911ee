import type { Clock } from '../basics/clock.ts';

export interface ConnectionWatchDeps {
  readonly clock: Pick<Clock, 'steady'>;
  /** Ids of the servers that are connected to the store; undefined: it does not tell. */
  listConnected(): Promise<ReadonlySet<string> | undefined>;
}

/** A server that was killed, as it seems. */
export interface CutServer {
  readonly server: string;
  /** So long it has been without a connection, at least. */
  readonly ms: number;
}

/**
 * Finds killed servers by their connections to the store: the host of a process closes them when it is killed, long before its silence
 * tells. A server is cut off when it was connected and then is not at two looks: one that only connects again is back by then.
 */
export class ConnectionWatch {
  readonly #deps: ConnectionWatchDeps;
  /** Servers that were connected, and since when they are not. */
  readonly #seen = new Map<string, number | undefined>();

  constructor(deps: ConnectionWatchDeps) {
    this.#deps = deps;
  }

  /** What was seen before tells nothing: this server or the store was away, and others may still be on their way back. */
  forget(): void {
    this.#seen.clear();
  }

  /** @throws Error when the store cannot be asked; nothing is known then of what was before */
  async look(): Promise<readonly CutServer[]> {
    const { clock } = this.#deps;
    const connected = await this.#deps.listConnected().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    if (connected === undefined) return [];
    const now = clock.steady();
    const cut: CutServer[] = [];
    for (const [server, since] of this.#seen)
      if (!connected.has(server) && since !== undefined) cut.push({ server, ms: now - since });
      else if (!connected.has(server)) this.#seen.set(server, now);
    for (const { server } of cut) this.#seen.delete(server);
    for (const server of connected) this.#seen.set(server, undefined);
    return cut;
  }
}
