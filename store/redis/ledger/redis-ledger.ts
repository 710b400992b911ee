import { randomBytes } from 'node:crypto';
import { actorName, type ActorKey } from '../../actor-key.ts';
import type {
  Claim,
  Lease,
  LedgerListener,
  News,
  QueueFigures,
  WorkChange,
  WorkItem,
  WorkLedger,
  WorkStatus,
} from '../../ledger.ts';
import { StoreAway } from '../../store.ts';
import {
  readLease,
  readNews,
  readQueues,
  readStatus,
  type Figures,
  type ShownLease,
  type ShownNews,
  type Told,
} from './ledger-answers.ts';
import type { RedisLedgerDeps, ServersFound } from './ledger-deps.ts';
import {
  changeWords,
  claimWords,
  expireWords,
  itemWords,
  LEDGER_VERBS,
  type LedgerVerb,
} from './ledger-words.ts';
import { QueueNames } from './queue-names.ts';
import { Scripts, type Argument, type ScriptDeps } from '../scripts.ts';
import { ServerConnections } from './server-connections.ts';
import { ServerRegister } from './server-register.ts';
import { UnconfirmedLeases } from './unclear-leases.ts';

const UNHEARD =
  'Other servers have taken over the work of this one. It hands out work again when they see its heartbeat.';

/** Time between two checks for expired leases while no server holds leases. */
const REST_MS = 3_000;

const TOKEN_BYTES = 16;

function newTokens(count: number): readonly string[] {
  const bytes = randomBytes(count * TOKEN_BYTES);
  return Array.from({ length: count }, (_, n) =>
    bytes.toString('base64url', n * TOKEN_BYTES, (n + 1) * TOKEN_BYTES),
  );
}

/** The ledger of servers that share a Redis: leases outlive each of them. */
export class RedisLedger implements WorkLedger {
  readonly #scripts: Scripts<LedgerVerb>;
  readonly #deps: RedisLedgerDeps;
  readonly #listeners: LedgerListener[] = [];
  readonly #names: QueueNames;
  readonly #items: Parameters<typeof itemWords>[1];
  readonly #unclear = new UnconfirmedLeases();
  readonly #servers: ServerRegister;
  readonly #connections: ServerConnections;
  /** Redis names of the queues that this server has reported as unable to serve. */
  readonly #unable = new Set<string>();
  #turn = 0;
  /** True if the last check for expired leases found any lease, or a claim on this server returned one since. */
  #hasLeases = true;
  #lookedAt = -Infinity;
  /** True after this server has sent its first heartbeat to the others. */
  #hasSaid = false;

  constructor(connection: ScriptDeps, deps: RedisLedgerDeps) {
    this.#scripts = new Scripts(connection, LEDGER_VERBS);
    this.#deps = deps;
    this.#names = new QueueNames(deps.server, deps.ownQueues ?? []);
    this.#items = { names: this.#names, weightOf: deps.weightOf ?? (() => 1) };
    this.#servers = new ServerRegister((verb, words) => this.#runAll(verb, words), this.#names, deps);
    this.#connections = new ServerConnections(connection);
  }

  watch(listener: LedgerListener): void {
    this.#listeners.push(listener);
  }

  /** Returns the name of a queue in Redis. */
  queueName(queue: string): string {
    return this.#names.nameForAll(queue);
  }

  /** Returns the first arguments of each script. */
  context(): readonly Argument[] {
    const { settings, server, clock = 'redis', now } = this.#deps;
    const { leaseMs, silenceMs, wholeMs, cancelGraceMs } = settings;
    return [clock === 'now' ? now() : '', server, leaseMs, silenceMs, wholeMs, cancelGraceMs];
  }

  /** Returns the last arguments of a commit. */
  changeWords(change: WorkChange | undefined): readonly Argument[] {
    return changeWords(change, this.#items);
  }

  /** Reports to this server's listeners what a script has done. */
  tellListeners(told: unknown): void {
    const [queues, news] = told as Told;
    if (queues.length > 0) this.onOffer(queues);
    if (news.length === 0) return;
    for (const listener of this.#listeners) listener.news(news.map(readNews));
  }

  /** A server has offered work in these queues. */
  onOffer(figures: readonly Figures[]): void {
    const queues = new Map(
      figures.flatMap(([queue, waiting, held]) =>
        this.#names.ownName(queue).map((name) => [name, { waiting, held }] as const),
      ),
    );
    if (queues.size === 0) return;
    for (const listener of this.#listeners) listener.onOffer(queues);
  }

  async offer(items: readonly WorkItem[]): Promise<void> {
    if (items.length > 0) await this.#run('work/offer', itemWords(items, this.#items));
  }

  async withdraw(items: readonly WorkItem[]): Promise<void> {
    if (items.length > 0) await this.#run('work/withdraw', itemWords(items, this.#items));
  }

  /** @throws StoreAway also while other servers consider this server dead */
  async claim(claim: Claim): Promise<readonly Lease[]> {
    const { queues, max, worker } = claim;
    if (queues.length === 0 || max <= 0) return [];
    const tokens = newTokens(max);
    const { schemas = {} } = this.#deps;
    const words = [
      this.#hasSaid ? 1 : 0,
      ...claimWords(claim, { turn: this.#turn++, tokens, schemas, names: this.#names, unable: this.#unable }),
    ];
    const leases = await this.#run('work/claim', words).catch((error: unknown) => {
      for (const token of tokens) this.#unclear.add({ token, worker, begun: false });
      throw error;
    });
    if (leases === 'unheard') throw new StoreAway(UNHEARD);
    this.#hasLeases ||= (leases as readonly unknown[]).length > 0;
    return this.#readLeases(leases);
  }

  async beat(...words: Parameters<WorkLedger['beat']>): Promise<'on' | 'cancelled' | 'lost'> {
    return (await this.#run('leases/beat', words)) as 'on' | 'cancelled' | 'lost';
  }

  async noteArrival(token: string, whole: boolean, answer = ''): Promise<boolean> {
    return (await this.#run('leases/arriving', [token, whole ? 1 : 0, answer])) !== 0;
  }

  async answerOf(token: string): Promise<string | undefined> {
    const answer = await this.#run('leases/answer-of', [token]);
    return typeof answer === 'string' ? answer : undefined;
  }

  async look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'> {
    const found = await this.#run('leases/look', [token, worker]);
    return Array.isArray(found)
      ? readLease(found as ShownLease, this.#deps.now())
      : (found as 'settled' | 'lost');
  }

  async release(token: string, worker: string, begun = true): Promise<boolean> {
    const released = await this.#run('work/release', [token, worker, begun ? 1 : 0]).catch(
      (error: unknown) => {
        this.#unclear.add({ token, worker, begun });
        throw error;
      },
    );
    return released === 1;
  }

  async reject(token: string, reason: string): Promise<boolean> {
    return (await this.#run('work/reject', [token, reason])) === 1;
  }

  async forget(token: string): Promise<void> {
    await this.#run('work/forget', [token]);
  }

  async releaseWorker(worker: string, counted: boolean, reason: string): Promise<void> {
    // Leases that the worker never received are released first, so that they do not count as held.
    await this.#giveBackUnclear();
    await this.#run('work/gone', [worker, counted ? 1 : 0, reason]);
  }

  /** See `ServerRegister`. */
  async alive(ms: number, node: string): Promise<ServersFound> {
    const found = await this.#servers.alive(ms, node);
    this.#hasSaid = true;
    return found;
  }

  listConnected(): Promise<ReadonlySet<string> | undefined> {
    return this.#connections.list();
  }

  listKnown(): Promise<readonly string[]> {
    return this.#connections.listKnown();
  }

  cut(server: string, leftMs: number | undefined): Promise<void> {
    return this.#servers.cut(server, leftMs);
  }

  isThere(server: string): Promise<boolean> {
    return this.#servers.isThere(server);
  }

  isQuiet(kinds: readonly string[]): boolean {
    return this.#servers.isQuiet(kinds);
  }

  knownElsewhere(kind: string): Promise<number> {
    return this.#servers.knownElsewhere(kind);
  }

  leave(): Promise<void> {
    return this.#servers.leave();
  }

  async unavailable(queue: string, reason: string): Promise<void> {
    const name = this.#names.nameForAll(queue);
    this.#unable.add(name);
    await this.#run('work/unavailable', [name, reason]);
  }

  async expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]> {
    // Only while all servers report their changes. The next check finds leases that were claimed on another server.
    const mayRest = !this.#hasLeases && stalledMs === 0 && this.isQuiet([]);
    if (mayRest && performance.now() - this.#lookedAt < REST_MS) return [];
    this.#lookedAt = performance.now();
    const [found, due] = await this.#runAll('leases/expire', expireWords(stalledMs, this.#deps));
    const expired = found as readonly (readonly [ShownLease, string])[];
    this.#hasLeases = due !== 0;
    await this.#giveBackUnclear();
    return expired.map(([lease, reason]) => ({ lease: readLease(lease, this.#deps.now()), reason }));
  }

  async news(limit: number): Promise<readonly News[]> {
    return ((await this.#run('work/news', [limit])) as readonly ShownNews[]).map(readNews);
  }

  async dismiss({ what, item }: News): Promise<void> {
    await this.#run('work/dismiss', [what, item.id, item.attempt]);
  }

  async announce(): Promise<void> {
    await this.#run('work/announce', []);
  }

  async queues(): Promise<ReadonlyMap<string, QueueFigures>> {
    return readQueues(await this.#run('work/queues', []), this.#names);
  }

  counts(): Promise<ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>> {
    return this.queues();
  }

  async leases(): Promise<readonly Lease[]> {
    return this.#readLeases(await this.#run('leases/all', []));
  }

  async listIds(actor: ActorKey): Promise<ReadonlySet<string>> {
    return new Set((await this.#run('work/known', [actorName(actor)])) as readonly string[]);
  }

  async workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]> {
    if (actors.length === 0) return [];
    const found = await this.#runAll('work/status', [actors.length, ...actors.map(actorName)]);
    return readStatus(found, this.#deps.now());
  }

  #giveBackUnclear(): Promise<void> {
    return this.#unclear.giveBack((owed) => this.release(owed.token, owed.worker, owed.begun));
  }

  async #run(verb: LedgerVerb, words: readonly Argument[]): Promise<unknown> {
    return (await this.#runAll(verb, words))[0];
  }

  async #runAll(verb: LedgerVerb, words: readonly Argument[]): Promise<readonly unknown[]> {
    const [told, ...answer] = (await this.#scripts.run(verb, [...this.context(), ...words])) as unknown[];
    this.tellListeners(told);
    return answer;
  }

  #readLeases(leases: unknown): readonly Lease[] {
    return (leases as readonly ShownLease[]).map((lease) => readLease(lease, this.#deps.now()));
  }
}
