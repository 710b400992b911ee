/**
 * The shared state: the model of the store, the work ledger, and the list of servers. Calls run one at a time
 * and atomically, as in Redis.
 */
import type { ServersFound } from '../../store/redis/ledger/ledger-deps.ts';
import type { Claim, Lease, LedgerListener, News } from '../../store/ledger.ts';
import { MemoryLedger } from '../../store/memory-ledger.ts';
import { StoreAway, VersionConflict, type ActorKey, type Commit } from '../../store/store.ts';
import { ModelStore } from '../store/model-store.ts';
import type { SimulatedTime } from './time.ts';

/** A rule that is switched off, to show that the simulation detects its absence. */
export type LeftOut =
  | 'commits look at the version'
  | 'what is withdrawn is not handed out'
  | 'what dead servers held goes back uncounted'
  | 'what is owed stays until it has arrived';

/** If no server has checked for expired leases for this long, no server was there to receive heartbeats. */
const GAP_MS = 2_000;
/**
 * After an outage of Redis longer than this, servers may have lost their connections and need this long to
 * reconnect.
 */
const LOST_MS = 700;
const RETURN_MS = 3_000;
export const LEASES = { leaseMs: 5_000, silenceMs: 6_000, wholeMs: 86_400_000, cancelGraceMs: 1_000 };

/** Receives every event at the moment when it happens. */
export interface Witness {
  /** `before`: the stored version, whatever version the commit expected. */
  noteCommit(commit: Commit, before: number, version: number): void;
  noteClaims(leases: readonly Lease[]): void;
  noteQuarantine(actor: ActorKey, reason: string): void;
}

type Offered = Parameters<LedgerListener['onOffer']>[0];

/** Results of a call besides its response. */
export interface Told {
  /** Sent to all servers. */
  readonly offered: readonly Offered[];
  /** Sent to the caller. */
  readonly news: readonly News[];
}

export class SharedRedis {
  readonly store = new ModelStore();
  readonly work: MemoryLedger;
  readonly #time: SimulatedTime;
  readonly #witness: Witness;
  readonly #leftOut: LeftOut | undefined;
  #tokens: string[] = [];
  #told: { offered: Offered[]; news: News[] } = { offered: [], news: [] };
  /** Servers, with the time at which their heartbeat expires. */
  readonly #servers = new Map<string, number>();
  /** Servers with an open connection. */
  readonly connected = new Set<string>();
  /** Servers whose heartbeats were extended after an outage of Redis. */
  readonly #spared = new Set<string>();
  readonly #cut = new Set<string>();
  /** By queue: servers that cannot serve it, and the reason. */
  readonly #unable = new Map<string, Map<string, string>>();
  #heardOf: number | undefined;
  /** Milliseconds by which all leases are extended. */
  #granted = 0;
  #looked: number | undefined;
  /**
   * Leases that end with the server that granted them: of its own components, and of others without later
   * heartbeats.
   */
  readonly #endWith = new Map<string, Map<string, Lease>>();
  /** By tokens of components that outlive servers: the granting server, and all leases granted together. */
  readonly #farGiven = new Map<string, { readonly server: string; readonly leases: readonly Lease[] }>();
  /** Versions written by commits. */
  readonly #versions = new Map<string, number>();

  constructor(time: SimulatedTime, witness: Witness, leftOut?: LeftOut) {
    this.#time = time;
    this.#witness = witness;
    this.#leftOut = leftOut;
    this.work = new MemoryLedger({
      settings: LEASES,
      now: () => time.now,
      newToken: () => this.#tokens.shift()!,
    });
    this.work.watch({
      onOffer: (queues) => void this.#told.offered.push(queues),
      news: (news) => void this.#told.news.push(...news),
    });
  }

  /** Notifications since the last call of this method. */
  tellListeners(): Told {
    const told = this.#told;
    this.#told = { offered: [], news: [] };
    return told;
  }

  async commit(commit: Commit): Promise<number> {
    const { actor, work } = commit;
    const name = `${actor.kind}/${actor.id}`;
    const before = this.#versions.get(name) ?? 0;
    if (before !== commit.expected && this.#leftOut !== 'commits look at the version')
      throw new VersionConflict(actor, commit.expected);
    const committing = this.store.commit({ ...this.#weakenCommit(commit), expected: before });
    // The model writes before it returns its promise, so no other call can come in between.
    if (work !== undefined) this.#apply(actor, work);
    const version = before + 1;
    if (commit.snapshot === null) this.#versions.delete(name);
    else this.#versions.set(name, version);
    this.#witness.noteCommit(commit, before, version);
    return committing;
  }

  #weakenCommit(commit: Commit): Commit {
    if (this.#leftOut !== 'what is owed stays until it has arrived' || commit.outbox === undefined)
      return commit;
    return { ...commit, outbox: { remove: commit.outbox.put?.map(({ id }) => id) ?? [] } };
  }

  #apply(actor: ActorKey, change: NonNullable<Commit['work']>): void {
    const { withdraw: _, ...unwithdrawn } = change;
    if (this.#leftOut === 'what is withdrawn is not handed out') this.work.apply(actor, unwithdrawn);
    else this.work.apply(actor, change);
  }

  async quarantine(actor: ActorKey, reason: string, options?: Parameters<ModelStore['quarantine']>[2]) {
    this.#witness.noteQuarantine(actor, reason);
    this.work.apply(actor, { clear: true });
    this.#versions.delete(`${actor.kind}/${actor.id}`);
    return this.store.quarantine(actor, reason, options);
  }

  /** Like the script `claim`. `tokens`: of the leases, chosen by the caller. */
  async claim(server: string, claim: Claim, tokens: readonly string[]): Promise<readonly Lease[]> {
    this.#tokens = [...tokens];
    if (!this.#servers.has(server)) throw new StoreAway('Others took this server for dead.');
    for (const queue of claim.queues) this.#unable.get(queue)?.delete(server);
    const leases = await this.work.claim(claim);
    this.#witness.noteClaims(leases);
    const given = this.#endWith.get(server) ?? new Map<string, Lease>();
    this.#endWith.set(server, given);
    for (const lease of leases) given.set(lease.token, lease);
    if (claim.lasting === true) for (const { token } of leases) this.#farGiven.set(token, { server, leases });
    return leases;
  }

  /** Like the script `beat`. A response that arrives together with it has also reached the worker. */
  beat(token: string, ...told: readonly [worker: string, done: number, total: number]) {
    const claimed = this.#farGiven.get(token);
    for (const lease of claimed?.leases ?? []) this.#endWith.get(claimed!.server)?.delete(lease.token);
    return this.work.beat(token, ...told);
  }

  /** Like the script `unavailable`: another server may be able to serve the queue. */
  async unavailable(server: string, queue: string, reason: string): Promise<void> {
    const says = this.#unable.get(queue) ?? new Map<string, string>();
    this.#unable.set(queue, says.set(server, reason));
    const all = [...this.#servers.keys()].map((other) => says.get(other));
    const why = [reason, ...all].find(Boolean);
    if (why !== undefined && !all.includes(undefined)) await this.work.unavailable(queue, why);
  }

  /**
   * Like the script `expire` of the ledger in Redis: the time for which one server was frozen does not expire
   * leases if other servers checked meanwhile.
   */
  expire(stalledMs: number): ReturnType<MemoryLedger['expire']> {
    const at = this.#time.now;
    const passed = at - (this.#looked ?? at);
    this.#looked = at;
    const stalled = Math.min(passed, passed > GAP_MS ? Math.max(stalledMs, passed) : stalledMs);
    const granted = this.#granted;
    this.#granted = 0;
    return this.work.expire(stalled + granted);
  }

  /** Like the script `alive` of the ledger in Redis, without names of nodes. */
  async alive(server: string, ms: number): Promise<ServersFound> {
    const at = this.#time.now;
    const silentMs = at - (this.#heardOf ?? at);
    const wasAway = silentMs > ms / 2;
    const isLong = silentMs > LOST_MS;
    const spareMs = isLong ? Math.max(ms, RETURN_MS) : ms;
    this.#heardOf = at;
    const wasAbsent = !this.#servers.has(server);
    this.#servers.set(server, at + ms);
    this.#spared.delete(server);
    this.#cut.delete(server);
    const dead: string[] = [];
    for (const [other, until] of [...this.#servers])
      if (other !== server && wasAway && !this.#cut.has(other) && (isLong || !this.#spared.has(other))) {
        this.#spared.add(other);
        this.#servers.set(other, at + spareMs);
        this.#granted = spareMs;
      } else if (at >= until) {
        dead.push(other);
        await this.#remove(other);
      }
    const rank = [...this.#servers.keys()].filter((other) => other < server).length;
    return { dead, servers: this.#servers.size, wasAbsent, rank };
  }

  /** Like the script `cut`. */
  cut(server: string, leftMs = Infinity): void {
    const until = this.#servers.get(server);
    if (until === undefined || until - this.#time.now >= leftMs) return;
    this.#servers.set(server, this.#time.now);
    this.#cut.add(server);
  }

  get known(): readonly string[] {
    return [...this.#servers.keys()];
  }

  isThere(server: string): boolean {
    return this.#servers.has(server);
  }

  async #remove(server: string): Promise<void> {
    this.#servers.delete(server);
    this.#spared.delete(server);
    this.#cut.delete(server);
    const given = this.#endWith.get(server)?.values() ?? [];
    this.#endWith.delete(server);
    for (const { token, worker } of given)
      if (this.#leftOut !== 'what dead servers held goes back uncounted')
        await this.work.release(token, worker, false);
      else if ((await this.work.look(token, worker)) !== 'settled')
        await this.work.reject(token, 'its server is dead');
  }
}
