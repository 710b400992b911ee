import type { Clock } from '../basics/clock.ts';

export interface ConnectionWatchDeps {
  readonly clock: Pick<Clock, 'steady'>;
  /** Returns the ids of the servers that are connected to the store, or undefined if the store cannot list them. */
  listConnected(): Promise<ReadonlySet<string> | undefined>;
}

/** A server that was probably killed. */
export interface CutServer {
  readonly server: string;
  /** Least number of milliseconds without a connection; undefined if it was never seen connected. */
  readonly ms: number | undefined;
}

/** Time after which a server that was never seen connected counts as cut off. A live server connects again within less. */
const NEVER_SEEN_MS = 700;

/**
 * Finds killed servers by their connections to the store, because the host closes them when it kills a process. A server counts as cut off
 * if it was connected and then is missing in two checks. A server that only reconnects is back by then.
 */
export class ConnectionWatch {
  readonly #deps: ConnectionWatchDeps;
  /** Servers that were connected, with the time since which they are not. */
  readonly #seen = new Map<string, number | undefined>();
  /** Servers that were registered when this one started and have not been connected since. */
  readonly #expected = new Map<string, number>();

  constructor(deps: ConnectionWatchDeps) {
    this.#deps = deps;
  }

  /** Forgets all connections: this server or the store was away, so other servers may still be reconnecting. */
  forget(): void {
    this.#seen.clear();
    this.#expected.clear();
  }

  /** Expects these registered servers to be connected. Those that died before this server started never are. */
  expect(servers: readonly string[]): void {
    for (const server of servers) this.#expected.set(server, this.#deps.clock.steady());
  }

  /** True if a server that was connected was missing in the last check. */
  get missesSome(): boolean {
    return [...this.#seen.values()].some((since) => since !== undefined);
  }

  /** Notes that this server is connected, as it has reported, because it may be killed before the next check. */
  welcome(server: string): void {
    if (!this.#seen.has(server)) this.#seen.set(server, undefined);
  }

  /** @throws Error if the store cannot be asked; earlier connections are then forgotten */
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
    for (const server of connected) {
      this.#seen.set(server, undefined);
      this.#expected.delete(server);
    }
    for (const [server, since] of this.#expected)
      if (now - since >= NEVER_SEEN_MS && this.#expected.delete(server)) cut.push({ server, ms: undefined });
    return cut;
  }
}
