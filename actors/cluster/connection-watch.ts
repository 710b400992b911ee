import type { Clock } from '../basics/clock.ts';

export interface ConnectionWatchDeps {
  readonly clock: Pick<Clock, 'steady'>;
  /** Ids of the servers that are connected to the store; undefined: it does not tell. */
  listConnected(): Promise<ReadonlySet<string> | undefined>;
}

/** A server that was probably killed. */
export interface CutServer {
  readonly server: string;
  /** So long it has been without a connection, at least; undefined: it was never seen with one. */
  readonly ms: number | undefined;
}

/** Of a server that was never seen with a connection; one that is there connects again within less. */
const NEVER_SEEN_MS = 700;

/**
 * Finds killed servers by their connections to the store, because the host closes them when it kills a process. A server counts as cut off
 * when it was connected and then is not connected in two checks. One that only reconnects is back by then.
 */
export class ConnectionWatch {
  readonly #deps: ConnectionWatchDeps;
  /** Servers that were connected, and since when they are not. */
  readonly #seen = new Map<string, number | undefined>();
  /** Servers of which the store knew when this one started, and that were never connected since then. */
  readonly #expected = new Map<string, number>();

  constructor(deps: ConnectionWatchDeps) {
    this.#deps = deps;
  }

  /** What was seen before tells nothing: this server or the store was away, and others may still be on their way back. */
  forget(): void {
    this.#seen.clear();
    this.#expected.clear();
  }

  /** The store knows of these servers: those that died before this one started are never connected. */
  expect(servers: readonly string[]): void {
    for (const server of servers) this.#expected.set(server, this.#deps.clock.steady());
  }

  /** A server that was connected was not at the last look. */
  get missesSome(): boolean {
    return [...this.#seen.values()].some((since) => since !== undefined);
  }

  /** This server is connected, as it says itself: it may be killed before the next look. */
  welcome(server: string): void {
    if (!this.#seen.has(server)) this.#seen.set(server, undefined);
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
    for (const server of connected) {
      this.#seen.set(server, undefined);
      this.#expected.delete(server);
    }
    for (const [server, since] of this.#expected)
      if (now - since >= NEVER_SEEN_MS && this.#expected.delete(server)) cut.push({ server, ms: undefined });
    return cut;
  }
}
