import type { Logger } from '../../config/logger.ts';
import { StoreAway, StoreRefuses } from '../../store/store.ts';
import type { ServiceLine } from '../service/service-logs.ts';
import type { LiveWords } from '../streaming-job/live.ts';
import { delay, every, type Clock } from '../basics/clock.ts';
import { ConnectionWatch } from './connection-watch.ts';

/** The register of live servers that share a store. */
export interface Liveness {
  /**
   * Registers this server for another `ms`, with the unique name of its own node. Returns:
   * `dead`: servers that died, each reported to only one server. `servers`: number of live servers. `holder`: the server that has the name
   * already; this server is then not registered. `wasAbsent`: true if this server is new or others considered it dead. `rank`: position
   * of this server in an order that is the same for all.
   */
  alive(
    ms: number,
    node: string,
  ): Promise<{
    readonly dead: readonly string[];
    readonly servers: number;
    readonly holder?: string;
    readonly wasAbsent?: boolean;
    readonly rank: number;
  }>;
  /** Returns the ids of the servers that are registered and not known to be dead. */
  listKnown(): Promise<readonly string[]>;
  /** Returns the ids of the servers that are connected to the store, including this one, or undefined if the store cannot list them. */
  listConnected(): Promise<ReadonlySet<string> | undefined>;
  /**
   * The next `alive` finds this server dead, unless the server has meanwhile registered for more than these milliseconds. If they are
   * undefined, it is always found dead.
   */
  cut(server: string, leftMs: number | undefined): Promise<void>;
  /** True if this server is registered and not known to be dead. */
  isThere(server: string): Promise<boolean>;
  /** Removes this server at an orderly stop. */
  leave(): Promise<void>;
}

/** Messages that every live server receives. They are not stored. */
export interface Channel {
  say(words: string): Promise<void>;
  listen(onMessage: (words: string) => void): void;
}

/** Ends a process that hangs. The server whose own node runs it obeys. */
export interface KillOrder {
  readonly type: 'kill';
  readonly worker: string;
  readonly reason: string;
}

/** An administrator starts or stops a service (`<host>:<service>:<n>`). The server with its node executes and confirms the order. */
export interface ServiceOrder {
  readonly type: 'startService' | 'stopService';
  readonly service: string;
  /** Random. */
  readonly id: string;
}

/** An administrator reads the last lines of a service. The server with its node sends them. */
export interface LinesOrder {
  readonly type: 'tellLines';
  readonly service: string;
  /** Random. */
  readonly request: string;
}

/** There is no more work for this worker, which was started for a stream. */
export interface RestOrder {
  readonly type: 'rest';
  readonly worker: string;
}

/** Messages between servers about nodes. */
export type NodeOrder =
  /** The stored state of the node has changed. */
  | { readonly type: 'nodeChanged'; readonly node: string }
  /** No service of this node can serve this queue any more. */
  | { readonly type: 'unavailable'; readonly node: string; readonly queue: string; readonly reason: string }
  /** Reply to `tellLines`; null if there is no such service. */
  | { readonly type: 'lines'; readonly request: string; readonly lines: readonly ServiceLine[] | null };

/** Every server except the sender rebuilds its search index. */
export interface RebuildSearch {
  readonly type: 'rebuildSearch';
  readonly by: string;
}

/** Messages between servers about a live stream. */
export type StreamOrder =
  | { readonly type: 'stream'; readonly by: string; readonly job: number; readonly words: LiveWords }
  /** The server that holds the lock of the job's reports must send them. */
  | { readonly type: 'streamReports'; readonly by: string; readonly job: number };

/** Confirms that the order with this id was executed. */
export interface Obeyed {
  readonly type: 'obeyed';
  readonly id: string;
}

/** A server sends this before it registers. From then on, the others watch its connection. */
export interface ServerJoins {
  readonly type: 'serverJoins';
  readonly server: string;
}

/** Stored pauses have changed, so that each server must read them. */
export interface PausesChanged {
  readonly type: 'pausesChanged';
}

export type Order =
  | KillOrder
  | RestOrder
  | ServiceOrder
  | LinesOrder
  | RebuildSearch
  | StreamOrder
  | Obeyed
  | ServerJoins
  | PausesChanged
  | NodeOrder;

export interface ClusterDeps {
  readonly channel: Channel;
  readonly ledger: Liveness;
  /** Id of this server. */
  readonly server: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this server's own node. */
  readonly node: string;
  /** Silence after which a server counts as dead. */
  readonly silenceMs: number;
}

const BEATS_IN_SILENCE = 4;
/** Most time between two heartbeats, however long `silenceMs` is, so that other servers soon watch the connection of a new one. */
const LONGEST_BEAT_MS = 1_000;
/** Time between two checks of the connections of other servers. */
const LOOK_MS = 400;
/** Time until the next check if a server is missing. */
const SECOND_LOOK_MS = 200;
/** Number of servers that check connections. If one of them is killed, another detects it. */
const WATCHERS = 2;

/** Errors of a server that cannot start. */
const WHY_NOT = {
  NAME_TAKEN: (node: string) =>
    new Error(
      `Another server of this cluster has a node that is called ${node}: give each server its own NODE_NAME.`,
    ),
  NOT_HEARD: () =>
    new StoreAway(
      'The store does not answer, so this server could not announce itself to the others. Check the store.',
    ),
};

/** The servers that share a store, as far as this one needs them. Other servers continue the work of a dead one. */
export class Cluster {
  readonly #deps: ClusterDeps;
  readonly #taking: ((dead: readonly string[]) => void)[] = [];
  readonly #connections: ConnectionWatch;
  readonly #there: (() => void)[] = [];
  #stop: () => void = () => undefined;
  #servers = 1;
  /** Start of the last heartbeat that was stored; -Infinity while others may consider this server dead. */
  #saidAt = -Infinity;
  /** The same, but never reset. */
  #storedAt = -Infinity;
  #isRefused = false;
  #stay = 0;
  #rank = Infinity;
  #isWatcher = false;
  /** True if there may be other servers. A server that is alone checks no connections. */
  #hasOthers = true;
  #hasLeft = false;

  constructor(deps: ClusterDeps) {
    this.#deps = deps;
    const { clock, ledger } = deps;
    this.#connections = new ConnectionWatch({ clock, listConnected: () => ledger.listConnected() });
    this.onOrder((order) => {
      if (order.type !== 'serverJoins' || order.server === deps.server) return;
      this.#connections.welcome(order.server);
      this.#hasOthers = true;
    });
  }

  /** Number of live servers, including this one. */
  get servers(): number {
    return this.#servers;
  }

  get #beatMs(): number {
    return Math.min(LONGEST_BEAT_MS, this.#deps.silenceMs / BEATS_IN_SILENCE);
  }

  /**
   * Registers this server and starts to watch the others. If this server dies, the others take over its work.
   * @throws Error if another live server has a node of the same name; start waits for one that has just died
   * @throws StoreAway if the store does not answer within twice `silenceMs`
   */
  async start(): Promise<void> {
    const { clock, logger, node } = this.#deps;
    await this.#joinOthers();
    const stopBeats = every(clock, this.#beatMs, async () => {
      if ((await this.#beat()) === 'NAME_TAKEN')
        logger.error(
          { node },
          'another server now uses the name of this node, because this server was silent. Stop one of them',
        );
    });
    const stopLooks = this.#startLooks();
    this.#stop = () => {
      stopBeats();
      stopLooks();
    };
  }

  async #joinOthers(): Promise<void> {
    const { clock, silenceMs, node, ledger } = this.#deps;
    const until = clock.steady() + 2 * silenceMs;
    // Servers that died before this one started are also found by their missing connections.
    this.#connections.expect(await ledger.listKnown().catch(() => []));
    for (let said = await this.#beat(); said !== 'SAID'; said = await this.#beat()) {
      if (clock.steady() >= until) throw WHY_NOT[said](node);
      await delay(clock, Math.min(LOOK_MS, this.#beatMs));
      if (this.#hasLeft)
        throw new Error('This server was stopped before it could announce itself to the other servers.');
      // A dead server may still have the name of this node.
      if (said === 'NAME_TAKEN') await this.#cutOthers().catch(() => undefined);
    }
  }

  /**
   * A number that changes when other servers may have considered this server dead. Undefined while the last heartbeat is too old, because
   * others may do so now.
   */
  get stay(): number | undefined {
    return this.#isInTime() ? this.#stay : undefined;
  }

  #isInTime(): boolean {
    const { clock, silenceMs } = this.#deps;
    return clock.steady() - this.#saidAt < silenceMs;
  }

  /** Milliseconds since the last stored heartbeat of this server, even if the connection was lost since. */
  get silentMs(): number {
    return this.#deps.clock.steady() - this.#storedAt;
  }

  /** True if the store answered but refused the last heartbeat. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Sends a heartbeat now, so that `silentMs` and `isRefused` are up to date. */
  async sayNow(): Promise<void> {
    await this.#beat();
  }

  /** True if other servers are live or not yet known to be dead. */
  async knowsOthers(): Promise<boolean> {
    const { ledger, server } = this.#deps;
    return (await ledger.listKnown()).some((known) => known !== server);
  }

  isThere(server: string): Promise<boolean> {
    return this.#deps.ledger.isThere(server);
  }

  /** Calls `task` when servers are found dead, on the server that finds them. */
  onDeath(task: (dead: readonly string[]) => void): void {
    this.#taking.push(task);
  }

  /** Calls `task` after each stored heartbeat, because others may have considered this server dead before. */
  onThere(task: () => void): void {
    this.#there.push(task);
  }

  /** The connection to the store is lost. Until its next heartbeat, others may consider this server dead. */
  doubt(): void {
    this.#saidAt = -Infinity;
    this.#connections.forget();
  }

  /**
   * Sends an order to all servers; the server that has the node executes it. A lost kill order is repeated when the next lease of the
   * process expires. Senders of other orders check that they were executed.
   */
  order(order: Order): void {
    const { channel, logger } = this.#deps;
    channel
      .say(JSON.stringify(order))
      .catch((err: unknown) => logger.debug({ err }, 'an order could not be sent to other servers'));
  }

  /** Calls `carryOut` for each received order. */
  onOrder(carryOut: (order: Order) => void): void {
    this.#deps.channel.listen((words) => carryOut(JSON.parse(words) as Order));
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#stop();
    await this.#deps.ledger.leave().catch(() => undefined);
  }

  async #beat(): Promise<'SAID' | keyof typeof WHY_NOT> {
    const { ledger, logger, silenceMs, node, clock, server } = this.#deps;
    try {
      const at = clock.steady();
      if (!this.#isInTime()) this.order({ type: 'serverJoins', server });
      const { dead, servers, holder, wasAbsent, rank } = await ledger.alive(silenceMs, node);
      this.#isRefused = false;
      if (holder !== undefined) return 'NAME_TAKEN';
      if (wasAbsent === true || !this.#isInTime()) this.#stay++;
      this.#saidAt = this.#storedAt = at;
      this.#servers = servers;
      this.#hasOthers = servers > 1;
      for (const task of this.#there) task();
      // If a new server takes over the checks, this server continues for one heartbeat, in which the new one learns the connections.
      this.#isWatcher = Math.min(rank, this.#rank) < WATCHERS;
      this.#rank = rank;
      if (dead.length === 0) return 'SAID';
      logger.warn({ servers: dead }, 'other servers stopped; the remaining servers take over their work');
      for (const task of this.#taking) task(dead);
      return 'SAID';
    } catch (err) {
      this.#isRefused = err instanceof StoreRefuses;
      // The connection has reported it already, and the next heartbeat comes soon.
      logger.debug({ err }, 'this server could not store its heartbeat');
      return 'NOT_HEARD';
    }
  }

  #startLooks(): () => void {
    const { clock } = this.#deps;
    let cancel = () => {};
    let hasStopped = false;
    const waitForNext = () => {
      if (hasStopped) return;
      const ms = this.#connections.missesSome ? SECOND_LOOK_MS : LOOK_MS;
      cancel = clock.after(ms, () => void this.#look().then(waitForNext, waitForNext));
    };
    waitForNext();
    return () => {
      hasStopped = true;
      cancel();
    };
  }

  /** Checks the connections, so that the work of a killed server does not wait until its silence is detected. */
  async #look(): Promise<void> {
    if (!this.#isWatcher) return this.#connections.forget();
    if (!this.#hasOthers) return;
    if (await this.#cutOthers()) await this.#beat();
  }

  /** Reports killed servers to the ledger. Returns true if there are any. */
  async #cutOthers(): Promise<boolean> {
    const { ledger, silenceMs } = this.#deps;
    const cut = await this.#connections.look();
    for (const { server, ms } of cut) await ledger.cut(server, ms === undefined ? undefined : silenceMs - ms);
    return cut.length > 0;
  }
}
