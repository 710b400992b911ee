import type { Logger } from '../../config/logger.ts';
import { StoreAway, StoreRefuses } from '../../store/store.ts';
import type { ServiceLine } from '../service/service-logs.ts';
import type { LiveWords } from '../streaming-job/live.ts';
import { delay, every, type Clock } from '../basics/clock.ts';
import { ConnectionWatch } from './connection-watch.ts';

/** Where servers that share a store say that they are there. */
export interface Liveness {
  /**
   * This server is there for another `ms`, with its own node of this name; answers who is not any more, each told to one server, how many
   * servers there are, which one has the name already (then this server is not there), and whether this server was not there before,
   * because it is new or others took it for dead. `rank`: so many of the others come before this one, in an order that all know.
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
  /** Ids of the servers that nobody has found gone yet. */
  listKnown(): Promise<readonly string[]>;
  /** Ids of the servers that are connected to the store, this one included; undefined: it does not tell. */
  listConnected(): Promise<ReadonlySet<string> | undefined>;
  /**
   * The next `alive` finds this server dead, unless it has said since that it is there for more than these milliseconds. Undefined: whatever
   * it has said.
   */
  cut(server: string, leftMs: number | undefined): Promise<void>;
  /** Whether nobody has found this server gone yet. */
  isThere(server: string): Promise<boolean>;
  /** This server goes in order. */
  leave(): Promise<void>;
}

/** Words that every server hears which is there, and no other ever. */
export interface Channel {
  say(words: string): Promise<void>;
  listen(onMessage: (words: string) => void): void;
}

/** This process hangs: the server on whose own node it runs ends it. */
export interface KillOrder {
  readonly type: 'kill';
  readonly worker: string;
  readonly reason: string;
}

/** An administrator wants this of a service (`<host>:<service>:<n>`): whichever server has its node sees to it, and says so. */
export interface ServiceOrder {
  readonly type: 'startService' | 'stopService';
  readonly service: string;
  /** Random. */
  readonly id: string;
}

/** An administrator wants to read the last lines of a service: whoever has its node tells them. */
export interface LinesOrder {
  readonly type: 'tellLines';
  readonly service: string;
  /** Random. */
  readonly request: string;
}

/** There is nothing to do for this worker, which was started for a stream. */
export interface RestOrder {
  readonly type: 'rest';
  readonly worker: string;
}

/** What servers tell each other of nodes. */
export type NodeOrder =
  /** What is stored of it has changed. */
  | { readonly type: 'nodeChanged'; readonly node: string }
  /** No service of this node can serve this queue any more. */
  | { readonly type: 'unavailable'; readonly node: string; readonly queue: string; readonly reason: string }
  /** As a `tellLines` asked for; null: there is no such service. */
  | { readonly type: 'lines'; readonly request: string; readonly lines: readonly ServiceLine[] | null };

/** Each server makes its index of the search anew, but for the one that says so. */
export interface RebuildSearch {
  readonly type: 'rebuildSearch';
  readonly by: string;
}

/** What a server that has heard of a live stream tells the others. */
export type StreamOrder =
  | { readonly type: 'stream'; readonly by: string; readonly job: number; readonly words: LiveWords }
  /** Reports of it are to be posted by the server that holds their lock. */
  | { readonly type: 'streamReports'; readonly by: string; readonly job: number };

/** The order of this id was carried out. */
export interface Obeyed {
  readonly type: 'obeyed';
  readonly id: string;
}

/** A server says so before it says that it is there: from then on others watch its connection. */
export interface ServerJoins {
  readonly type: 'serverJoins';
  readonly server: string;
}

/** What operators have paused or resumed is stored: each server reads it. */
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
  /** A server that is not heard of for so long is dead. */
  readonly silenceMs: number;
}

const BEATS_IN_SILENCE = 4;
/** However long a silence may be: as soon others know of a new server, and watch its connection. */
const LONGEST_BEAT_MS = 1_000;
/** Time between two looks at the connections of the others. */
const LOOK_MS = 400;
/** The next look after one that misses a server. */
const SECOND_LOOK_MS = 200;
/** So many servers look: should one of them be killed, another sees it. */
const WATCHERS = 2;

/** Why a server with this node does not start. */
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
  /** When it began to say what the others heard last. */
  #saidAt = -Infinity;
  /** The same, also while the others may take this server for dead. */
  #storedAt = -Infinity;
  #isRefused = false;
  #stay = 0;
  #rank = Infinity;
  #isWatcher = false;
  /** Another server may be there: who is alone watches nobody. */
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

  /** How many servers there are, this one included. */
  get servers(): number {
    return this.#servers;
  }

  get #beatMs(): number {
    return Math.min(LONGEST_BEAT_MS, this.#deps.silenceMs / BEATS_IN_SILENCE);
  }

  /**
   * From now on this server is known to the others, and looks after them: what it hands out goes to others should it die.
   * @throws Error when another server that is there has a node of the same name; one that has just died is waited for
   * @throws StoreAway when the store does not answer within two silences
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
    // Servers that died before this one started are found by their connections, too.
    this.#connections.expect(await ledger.listKnown().catch(() => []));
    for (let said = await this.#beat(); said !== 'SAID'; said = await this.#beat()) {
      if (clock.steady() >= until) throw WHY_NOT[said](node);
      await delay(clock, Math.min(LOOK_MS, this.#beatMs));
      if (this.#hasLeft)
        throw new Error('This server was stopped before it could announce itself to the other servers.');
      // One of them may have the name of this node.
      if (said === 'NAME_TAKEN') await this.#cutOthers().catch(() => undefined);
    }
  }

  /**
   * The same number as long as no other server can have taken this one for dead; undefined while it has not said in time that it is
   * there, and is perhaps taken for dead just now.
   */
  get stay(): number | undefined {
    return this.#isInTime() ? this.#stay : undefined;
  }

  #isInTime(): boolean {
    const { clock, silenceMs } = this.#deps;
    return clock.steady() - this.#saidAt < silenceMs;
  }

  /** Milliseconds since the store took in that this server is there, whether the connection was lost since or not. */
  get silentMs(): number {
    return this.#deps.clock.steady() - this.#storedAt;
  }

  /** The store answers, and took nothing in when this server last said that it is there. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Says now that this server is there: `silentMs` and `isRefused` are those of this moment then. */
  async sayNow(): Promise<void> {
    await this.#beat();
  }

  /** Whether servers are there, or have stopped without a word. */
  async knowsOthers(): Promise<boolean> {
    const { ledger, server } = this.#deps;
    return (await ledger.listKnown()).some((known) => known !== server);
  }

  isThere(server: string): Promise<boolean> {
    return this.#deps.ledger.isThere(server);
  }

  /** `task` is done whenever servers are found dead, on one of those that are there. */
  onDeath(task: (dead: readonly string[]) => void): void {
    this.#taking.push(task);
  }

  /** `task` is done whenever this server has said that it is there: others may have taken it for dead in between. */
  onThere(task: () => void): void {
    this.#there.push(task);
  }

  /** The connection to the store is lost: others see that, and may take this server for dead until it has said that it is there. */
  doubt(): void {
    this.#saidAt = -Infinity;
    this.#connections.forget();
  }

  /**
   * Whichever server has the node sees to it. A process that is to be ended is named again when its next lease runs out; whoever gives
   * another order looks whether it was carried out.
   */
  order(order: Order): void {
    const { channel, logger } = this.#deps;
    channel
      .say(JSON.stringify(order))
      .catch((err: unknown) => logger.debug({ err }, 'an order could not be sent to other servers'));
  }

  /** What other servers order. */
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
      // Whoever looks in place of this server may be new, and has still to see who is connected.
      this.#isWatcher = Math.min(rank, this.#rank) < WATCHERS;
      this.#rank = rank;
      if (dead.length === 0) return 'SAID';
      logger.warn({ servers: dead }, 'other servers stopped; the remaining servers take over their work');
      for (const task of this.#taking) task(dead);
      return 'SAID';
    } catch (err) {
      this.#isRefused = err instanceof StoreRefuses;
      // Said by the connection already; the next beat comes soon.
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

  /** The work of a server that was killed need not wait until its silence tells. */
  async #look(): Promise<void> {
    if (!this.#isWatcher) return this.#connections.forget();
    if (!this.#hasOthers) return;
    if (await this.#cutOthers()) await this.#beat();
  }

  /** Whether any seem to be killed. */
  async #cutOthers(): Promise<boolean> {
    const { ledger, silenceMs } = this.#deps;
    const cut = await this.#connections.look();
    for (const { server, ms } of cut) await ledger.cut(server, ms === undefined ? undefined : silenceMs - ms);
    return cut.length > 0;
  }
}
