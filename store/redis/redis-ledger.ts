import { randomBytes } from 'node:crypto';
import { actorName, type ActorKey } from '../actor-key.ts';
import type {
  Claim,
  Lease,
  LeaseSettings,
  LedgerListener,
  News,
  QueueFigures,
  WorkChange,
  WorkItem,
  WorkLedger,
  WorkStatus,
} from '../ledger.ts';
import { StoreAway } from '../store.ts';
import { LAYOUT } from './layout.ts';
import type { LedgerVerb } from './ledger-script.ts';
import { QueueNames } from './queue-names.ts';
import type { Argument, Scripts } from './scripts.ts';
import { UnclearLeases } from './unclear-leases.ts';

/** What a server says that it can read. */
export interface Knowledge {
  readonly layout: number;
  /** The newest schema of snapshots, by the kind of actor. */
  readonly schemas: Readonly<Record<string, number>>;
}

export interface RedisLedgerDeps {
  readonly settings: LeaseSettings;
  /** Of this server: its own components end with it, and so do their leases. */
  readonly server: string;
  /** Milliseconds that no clock change moves, on this server. */
  now(): number;
  /** The clock of leases is that of Redis, the same for all servers; a test brings its own. */
  readonly clock?: 'redis' | 'now';
  /** When no server has looked after leases for longer, they are all given that time again. */
  readonly gapMs?: number;
  /** When Redis was away for longer, servers may have lost their connections to it. */
  readonly lostMs?: number;
  /** So long a server may need to find Redis again when its connection is lost: it is not taken for dead before. */
  readonly returnMs?: number;
  /** Queues of which each server has one of its own: what it offers there is for its own components alone, and goes with it. */
  readonly ownQueues?: readonly string[];
  /** Work of actors whose snapshot is of a newer schema is left to servers that know it; kinds that are not named are not looked at. */
  readonly schemas?: Knowledge['schemas'];
}

const UNHEARD = 'Other servers took this one for dead: it hands out work when they have heard of it again.';

/** So many leases end in one step: the next ones with the next. */
const ENDED_AT_A_TIME = 1_000;

type Figures = readonly [queue: string, waiting: number, held: number];
type ShownNews = readonly [what: string, item: string, token: string, reason: string];
type Told = readonly [queues: readonly Figures[], news: readonly ShownNews[]];
/** All are texts but the item, which is not there when somebody has removed it meanwhile. */
type ShownLease = readonly string[];

export interface ServersFound {
  /** Each is told to one server. */
  readonly dead: readonly string[];
  readonly servers: number;
  /** The server that has the node's name; this one is then not there for the others. */
  readonly holder?: string;
  /** It was not there before: it is new, or others took it for dead. */
  readonly wasAbsent?: boolean;
}

/** The ledger of servers that share a Redis: what is held outlives each of them. */
export class RedisLedger implements WorkLedger {
  readonly #scripts: Scripts<LedgerVerb>;
  readonly #deps: RedisLedgerDeps;
  readonly #listeners: LedgerListener[] = [];
  readonly #names: QueueNames;
  readonly #unclear = new UnclearLeases();
  #turn = 0;
  /** That it is there, to the others. */
  #hasSaid = false;

  constructor(scripts: Scripts<LedgerVerb>, deps: RedisLedgerDeps) {
    this.#scripts = scripts;
    this.#deps = deps;
    this.#names = new QueueNames(deps.server, deps.ownQueues ?? []);
  }

  watch(listener: LedgerListener): void {
    this.#listeners.push(listener);
  }

  /** What a queue is called in Redis. */
  queueName(queue: string): string {
    return this.#names.told(queue);
  }

  /** With which each script begins. */
  context(): readonly Argument[] {
    const { settings, server, clock = 'redis', now } = this.#deps;
    const { leaseMs, silenceMs, wholeMs, cancelGraceMs } = settings;
    return [clock === 'now' ? now() : '', server, leaseMs, silenceMs, wholeMs, cancelGraceMs];
  }

  /** With which a commit ends. */
  changeWords({
    offer = [],
    withdraw = [],
    settle = [],
    clear = false,
  }: WorkChange = {}): readonly Argument[] {
    return [settle.length, ...settle, clear ? 1 : 0, ...this.#itemWords(withdraw), ...this.#itemWords(offer)];
  }

  /** Tells this server's listeners what a script has done. */
  told(told: unknown): void {
    const [queues, news] = told as Told;
    if (queues.length > 0) this.offered(queues);
    if (news.length > 0) this.#hear(news.map(readNews));
  }

  /** Some server has offered work in these queues. */
  offered(figures: readonly Figures[]): void {
    const queues = new Map(
      figures.flatMap(([queue, waiting, held]) =>
        this.#names.heard(queue).map((name) => [name, { waiting, held }] as const),
      ),
    );
    if (queues.size === 0) return;
    for (const listener of this.#listeners) listener.offered(queues);
  }

  async offer(items: readonly WorkItem[]): Promise<void> {
    if (items.length > 0) await this.#run('offer', this.#itemWords(items));
  }

  async withdraw(items: readonly WorkItem[]): Promise<void> {
    if (items.length > 0) await this.#run('withdraw', this.#itemWords(items));
  }

  /** @throws StoreAway also while others take this server for dead */
  async claim({ queues, max, worker, lasting = false, inTurn = false }: Claim): Promise<readonly Lease[]> {
    if (queues.length === 0 || max <= 0) return [];
    // Who serves several queues begins with another one each time, so that none of them starves.
    const turn = this.#turn++ % queues.length;
    const tokens = Array.from({ length: max }, () => randomBytes(16).toString('base64url'));
    const wanted = [...queues.slice(turn), ...queues.slice(0, turn)].map((queue) => this.#names.told(queue));
    const schemas = Object.entries(this.#deps.schemas ?? {});
    const known = [schemas.length, ...schemas.flat()];
    const words = [
      this.#hasSaid ? 1 : 0,
      worker,
      lasting ? 1 : 0,
      inTurn ? 1 : 0,
      max,
      ...known,
      ...tokens,
      wanted.length,
      ...wanted,
    ];
    const leases = await this.#run('claim', words).catch((error: unknown) => {
      for (const token of tokens) this.#unclear.add({ token, worker, begun: false });
      throw error;
    });
    if (leases === 'unheard') throw new StoreAway(UNHEARD);
    return this.#readLeases(leases);
  }

  async beat(
    token: string,
    worker: string,
    done: number,
    total: number,
  ): Promise<'on' | 'cancelled' | 'lost'> {
    return (await this.#run('beat', [token, worker, done, total])) as 'on' | 'cancelled' | 'lost';
  }

  async arriving(token: string, whole: boolean, answer = ''): Promise<boolean> {
    return (await this.#run('arriving', [token, whole ? 1 : 0, answer])) !== 0;
  }

  async answerOf(token: string): Promise<string | undefined> {
    const answer = await this.#run('answerOf', [token]);
    return typeof answer === 'string' ? answer : undefined;
  }

  async look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'> {
    const found = await this.#run('look', [token, worker]);
    return Array.isArray(found) ? this.#readLease(found as ShownLease) : (found as 'settled' | 'lost');
  }

  async release(token: string, worker: string, begun = true): Promise<boolean> {
    const released = await this.#run('release', [token, worker, begun ? 1 : 0]).catch((error: unknown) => {
      this.#unclear.add({ token, worker, begun });
      throw error;
    });
    return released === 1;
  }

  async reject(token: string, reason: string): Promise<boolean> {
    return (await this.#run('reject', [token, reason])) === 1;
  }

  async forget(token: string): Promise<void> {
    await this.#run('forget', [token]);
  }

  async gone(worker: string, counted: boolean, reason: string): Promise<void> {
    // What it never got is none of what it dies with.
    await this.#giveBackUnclear();
    await this.#run('gone', [worker, counted ? 1 : 0, reason]);
  }

  /**
   * Says that this server is there for another `ms`, and looks who of the others is not any more: what their components held waits again,
   * and no attempt is counted. `node`: the name of its own node, which no other server that is there may have.
   */
  async alive(ms: number, node: string): Promise<ServersFound> {
    const knowledge: Knowledge = { layout: LAYOUT, schemas: this.#deps.schemas ?? {} };
    const [dead, servers, holder, wasAbsent] = await this.#runAll('alive', [
      ms,
      this.#deps.lostMs ?? 0,
      this.#deps.returnMs ?? 0,
      node,
      JSON.stringify(knowledge),
      ...this.#names.endings,
    ]);
    this.#hasSaid = true;
    return {
      dead: dead as readonly string[],
      servers: servers as number,
      ...(holder === '' ? {} : { holder: holder as string }),
      wasAbsent: wasAbsent === 1,
    };
  }

  /** Whether nobody has found another server gone yet. */
  async isThere(server: string): Promise<boolean> {
    return (await this.#run('there', [server])) === 1;
  }

  /** The newest schema of this kind of actor that a server which is there can read; 0: none. */
  async knownElsewhere(kind: string): Promise<number> {
    const [known] = await this.#runAll('schemas', []);
    const schemas = (known as readonly string[]).map((text) => (JSON.parse(text) as Knowledge).schemas[kind]);
    return Math.max(0, ...schemas.map((schema) => schema ?? 0));
  }

  /** This server goes in order, and all its components have gone before. */
  async left(): Promise<void> {
    await this.#run('left', this.#names.endings);
  }

  async unavailable(queue: string, reason: string): Promise<void> {
    await this.#run('unavailable', [this.#names.told(queue), reason]);
  }

  async expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]> {
    const words = [stalledMs, this.#deps.gapMs ?? Number.MAX_SAFE_INTEGER, ENDED_AT_A_TIME];
    const expired = (await this.#run('expire', words)) as readonly (readonly [ShownLease, string])[];
    await this.#giveBackUnclear();
    return expired.map(([lease, reason]) => ({ lease: this.#readLease(lease), reason }));
  }

  async news(limit: number): Promise<readonly News[]> {
    return ((await this.#run('news', [limit])) as readonly ShownNews[]).map(readNews);
  }

  async dismiss({ what, item }: News): Promise<void> {
    await this.#run('dismiss', [what, item.id, item.attempt]);
  }

  async announce(): Promise<void> {
    await this.#run('announce', []);
  }

  async queues(): Promise<ReadonlyMap<string, QueueFigures>> {
    const found = (await this.#run('queues', [])) as readonly (readonly [...Figures, string])[];
    return new Map(
      found.flatMap(([queue, waiting, held, oldest]) =>
        this.#names
          .heard(queue)
          .map((name) => [name, { waiting, held, oldestMs: Math.max(0, Number(oldest)) }] as const),
      ),
    );
  }

  async leases(): Promise<readonly Lease[]> {
    return this.#readLeases(await this.#run('leases', []));
  }

  async known(actor: ActorKey): Promise<ReadonlySet<string>> {
    return new Set((await this.#run('known', [actorName(actor)])) as readonly string[]);
  }

  async workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]> {
    if (actors.length === 0) return [];
    const found = await this.#run('status', [actors.length, ...actors.map(actorName)]);
    return (found as readonly (readonly [readonly ShownLease[], readonly [string, number][]])[]).map(
      ([leases, ahead]) => ({ leases: this.#readLeases(leases), ahead: new Map(ahead) }),
    );
  }

  #giveBackUnclear(): Promise<void> {
    return this.#unclear.giveBack((owed) => this.release(owed.token, owed.worker, owed.begun));
  }

  #itemWords(items: readonly WorkItem[]): readonly Argument[] {
    const words = items.flatMap((item) => [
      item.id,
      this.#names.told(item.queue),
      item.priority,
      actorName(item.actor),
      item.attempt,
      JSON.stringify(item),
    ]);
    return [items.length, ...words];
  }

  async #run(verb: LedgerVerb, words: readonly Argument[]): Promise<unknown> {
    return (await this.#runAll(verb, words))[0];
  }

  async #runAll(verb: LedgerVerb, words: readonly Argument[]): Promise<readonly unknown[]> {
    const [told, ...answer] = (await this.#scripts.run(verb, [...this.context(), ...words])) as unknown[];
    this.told(told);
    return answer;
  }

  #hear(news: readonly News[]): void {
    for (const listener of this.#listeners) listener.news(news);
  }

  #readLeases(leases: unknown): readonly Lease[] {
    return (leases as readonly ShownLease[]).map((lease) => this.#readLease(lease));
  }

  /** In the time of this server's clock. */
  #readLease(fields: ShownLease): Lease {
    const [token, item, worker, ...rest] = fields as readonly [string, string, string, ...string[]];
    const [
      startedAt,
      leaseUntil,
      silentUntil,
      wholeUntil,
      done,
      total,
      cancelled,
      kill,
      inTurn,
      last,
      begun,
      at,
    ] = rest;
    const shift = this.#deps.now() - Number(at);
    const here = (time: string | undefined) => (time === 'inf' ? Infinity : Number(time) + shift);
    return {
      token,
      item: JSON.parse(item) as WorkItem,
      worker,
      startedAt: here(startedAt),
      leaseUntil: here(leaseUntil),
      silentUntil: here(silentUntil),
      wholeUntil: here(wholeUntil),
      done: Number(done),
      total: Number(total),
      cancelled: cancelled === '1',
      killAt: kill === '' ? null : here(kill),
      ...(inTurn === '1' ? { inTurn: true } : {}),
      ...(last === '1' ? { last: true } : {}),
      ...(begun === '1' ? { begun: true } : {}),
    };
  }
}

function readNews([what, item, token, reason]: ShownNews): News {
  const of = JSON.parse(item) as WorkItem;
  return what === 'lost' ? { what, item: of, token, reason } : { what: 'dropped', item: of };
}
