import type {
  Claim,
  Lease,
  LeaseSettings,
  LedgerListener,
  News,
  QueueFigures,
  WorkStatus,
  WorkChange,
  WorkItem,
  WorkLedger,
} from './ledger.ts';
import { KeptLeases, type KeptLease, type LeaseKeeper } from './kept-leases.ts';
import { KnownItems } from './known-items.ts';
import {
  answered,
  arriving,
  beat,
  beatBeside,
  cancelled,
  expiryOf,
  expiryReason,
  isUnheardOf,
  newLease,
  postponed,
} from './leases.ts';
import { randomId } from './random-id.ts';
import { actorName, type ActorKey } from './store.ts';
import { TurnQueue } from './turn-queue.ts';

export interface LedgerDeps {
  readonly settings: LeaseSettings;
  /** Milliseconds that no clock change moves. */
  now(): number;
  newToken(): string;
}

const DEFAULTS: LedgerDeps = {
  settings: { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 86_400_000, cancelGraceMs: 5_000 },
  now: () => performance.now(),
  newToken: randomId,
};

/** Tokens with an accepted answer: a repeated answer gets the first reply, and another answer a refusal. */
const REMEMBERED = 1_000;
/** So many are handed out in turn without a thought of who else may come for some. */
const FEW = 16;
/** What is given back more often than this costs an attempt. */
const MAX_RELEASES = 20;

/**
 * The ledger of a server that owns its store: in memory, for what is to be done stands in the rows of live actors, which offer it
 * again when the server starts. Only leases of workers that outlive the server are kept on disk.
 */
export class MemoryLedger implements WorkLedger {
  readonly #deps: LedgerDeps;
  readonly #items = new KnownItems();
  readonly #waiting = new TurnQueue();
  readonly #leases = new Map<string, Lease>();
  /** How many are held, by queue. */
  readonly #held = new Map<string, number>();
  /** The digest of the answer, by its token. */
  readonly #settled = new Map<string, string | undefined>();
  readonly #listeners: LedgerListener[] = [];
  readonly #kept = new KeptLeases();
  /** Items that were held beside others by a worker that died or hung. */
  readonly #alone = new Set<string>();
  #turn = 0;

  constructor(deps: Partial<LedgerDeps> = {}) {
    this.#deps = { ...DEFAULTS, ...deps };
  }

  watch(listener: LedgerListener): void {
    this.#listeners.push(listener);
  }

  /** From now on leases of lasting workers are kept there; `kept` are those of an earlier process. */
  keepIn(keeper: LeaseKeeper, kept: readonly KeptLease[]): void {
    this.#kept.keepIn(
      keeper,
      kept.map(({ item }) => item.id),
    );
    for (const { token, worker, item, heldMs } of kept) {
      const at = this.#deps.now();
      const lease = newLease(token, item, worker, at, this.#deps.settings);
      this.#hold({ ...lease, startedAt: at - heldMs, wholeUntil: lease.wholeUntil - heldMs }, 0);
    }
  }

  isKept(item: string): boolean {
    return this.#kept.has(item);
  }

  /** Does what a commit of an actor asks for, once it is written. */
  apply(actor: ActorKey, { offer = [], withdraw = [], settle = [], clear = false }: WorkChange): void {
    for (const id of settle) this.#settle(id);
    if (clear) this.#clear(actor);
    this.#withdraw(withdraw);
    this.#offer(offer);
  }

  offer(items: readonly WorkItem[]): Promise<void> {
    return settled(() => this.#offer(items));
  }

  withdraw(items: readonly WorkItem[]): Promise<void> {
    return settled(() => this.#withdraw(items));
  }

  claim({ queues, max, worker, lasting = false, inTurn = false }: Claim): Promise<readonly Lease[]> {
    return settled(() => {
      if (queues.length === 0) return [];
      // Who serves several queues begins with another one each time, so that none of them starves.
      const turn = this.#turn++ % queues.length;
      const all = [...queues.slice(turn), ...queues.slice(0, turn)];
      const at = this.#deps.now();
      const taken = this.#take(all, inTurn ? this.#mostInTurn(all, max) : max, worker);
      return taken.map((item) => {
        const entry = this.#items.get(item.id);
        const plain = newLease(this.#deps.newToken(), item, worker, at, this.#deps.settings);
        const last = this.#items.countOf(item.actor) === 1;
        const lease: Lease = inTurn ? { ...plain, inTurn, ...(last ? { last } : {}) } : plain;
        this.#hold(lease, entry?.state === 'waiting' ? entry.releases : 0);
        if (lasting) this.#kept.keep(lease);
        return lease;
      });
    });
  }

  beat(token: string, worker: string, done: number, total: number): Promise<'on' | 'cancelled' | 'lost'> {
    return settled(() => {
      const lease = this.#of(token, worker);
      if (lease === undefined) return 'lost';
      const { settings, now } = this.#deps;
      const at = now();
      this.#leases.set(token, beat(lease, { done, total }, at, settings));
      for (const other of this.#besides(lease))
        this.#leases.set(other.token, beatBeside(other, done > lease.done, at, settings));
      return lease.cancelled ? 'cancelled' : 'on';
    });
  }

  arriving(token: string, whole: boolean, answer?: string): Promise<boolean> {
    return settled(() => {
      const lease = this.#leases.get(token);
      if (lease === undefined) return true;
      if (answer !== undefined && (lease.answer ?? answer) !== answer) return false;
      const { settings, now } = this.#deps;
      this.#leases.set(token, whole ? answered(lease, answer) : arriving(lease, now(), settings));
      return true;
    });
  }

  answerOf(token: string): Promise<string | undefined> {
    return settled(() => this.#settled.get(token));
  }

  look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'> {
    return settled(() => this.#of(token, worker) ?? (this.#settled.has(token) ? 'settled' : 'lost'));
  }

  release(token: string, worker: string, begun = true): Promise<boolean> {
    return settled(() => {
      const lease = this.#of(token, worker);
      if (lease !== undefined) this.#giveBack(lease, begun);
      return lease !== undefined;
    });
  }

  reject(token: string, reason: string): Promise<boolean> {
    return settled(() => {
      const lease = this.#leases.get(token);
      if (lease !== undefined) this.#lose(lease, reason);
      return lease !== undefined;
    });
  }

  forget(token: string): Promise<void> {
    return settled(() => {
      const lease = this.#leases.get(token);
      if (lease === undefined) return;
      this.#free(lease);
      this.#remove(lease.item);
    });
  }

  gone(worker: string, counted: boolean, reason: string): Promise<void> {
    return settled(() => {
      const held = this.#heldBy(worker);
      if (counted) this.#loseOrSetApart(held, reason);
      else for (const lease of held) this.#giveBack(lease);
    });
  }

  unavailable(queue: string, reason: string): Promise<void> {
    return settled(() => {
      const waiting = this.#waiting.lengths().get(queue) ?? 0;
      this.#tell(
        this.#waiting.take([queue], waiting).map((item) => ({ what: 'lost', item, token: '', reason })),
      );
    });
  }

  expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]> {
    return settled(() => {
      const { settings, now } = this.#deps;
      const at = now();
      if (stalledMs > 0)
        for (const [token, lease] of this.#leases) this.#leases.set(token, postponed(lease, stalledMs));
      return [...this.#leases.values()].flatMap((lease) => {
        const expiry = expiryOf(lease, at);
        if (expiry === null || !this.#leases.has(lease.token)) return [];
        const besides = this.#besides(lease);
        if (isUnheardOf(lease, besides, at)) {
          this.#giveBack(lease, false);
          return [];
        }
        const reason = expiryReason(expiry, settings);
        this.#loseOrSetApart([lease, ...besides], reason);
        return [{ lease, reason }];
      });
    });
  }

  news(limit: number): Promise<readonly News[]> {
    return settled(() => {
      const found: News[] = [];
      for (const entry of this.#items.all()) {
        if (found.length === limit) break;
        if (entry.state === 'told') found.push(entry.news);
      }
      return found;
    });
  }

  dismiss({ what, item }: News): Promise<void> {
    return settled(() => {
      const entry = this.#items.get(item.id);
      const isSame =
        entry?.state === 'told' && entry.news.what === what && entry.item.attempt === item.attempt;
      if (isSame) this.#remove(item);
    });
  }

  announce(): Promise<void> {
    return settled(() => this.#offered(new Set(this.#waiting.lengths().keys())));
  }

  queues(): Promise<ReadonlyMap<string, QueueFigures>> {
    return settled(() => {
      const oldest = this.#items.oldest(this.#deps.now());
      const lengths = this.#waiting.lengths();
      const figures = new Map<string, QueueFigures>();
      for (const queue of new Set([...lengths.keys(), ...this.#held.keys()])) {
        const [waiting, held] = [lengths.get(queue) ?? 0, this.#held.get(queue) ?? 0];
        if (waiting + held > 0) figures.set(queue, { waiting, held, oldestMs: oldest.get(queue) ?? 0 });
      }
      return figures;
    });
  }

  leases(): Promise<readonly Lease[]> {
    return settled(() => [...this.#leases.values()]);
  }

  known(actor: ActorKey): Promise<ReadonlySet<string>> {
    return settled(() => new Set(this.#items.idsOf(actor)));
  }

  workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]> {
    return settled(() =>
      actors.map((actor) => {
        const leases = this.#items.idsOf(actor).flatMap((id) => {
          const entry = this.#items.get(id);
          return entry?.state === 'held' ? [this.#leases.get(entry.token)!] : [];
        });
        return { leases, ahead: this.#waiting.ahead(actorName(actor)) };
      }),
    );
  }

  #offer(items: readonly WorkItem[]): void {
    const queues = new Set<string>();
    for (const item of items) {
      queues.add(item.queue);
      const entry = this.#items.get(item.id);
      // Its actor has not heard yet what became of this attempt.
      if (entry !== undefined && (entry.state !== 'told' || item.attempt <= entry.item.attempt)) continue;
      this.#wait(item, 0);
    }
    this.#offered(queues);
  }

  #wait(item: WorkItem, releases: number): void {
    this.#items.put({ state: 'waiting', item, since: this.#deps.now(), releases });
    this.#waiting.offer([item]);
  }

  #withdraw(items: readonly WorkItem[]): void {
    const dropped: News[] = [];
    for (const item of items) {
      const entry = this.#items.get(item.id);
      if (entry?.state === 'held') this.#cancel(entry.token);
      else if (entry?.state !== 'told' || entry.news.what !== 'dropped')
        dropped.push({ what: 'dropped', item });
    }
    this.#waiting.remove(dropped.map(({ item }) => item.id));
    this.#tell(dropped);
  }

  #settle(id: string): void {
    const entry = this.#items.get(id);
    if (entry === undefined) return;
    if (entry.state === 'held') {
      const lease = this.#leases.get(entry.token)!;
      this.#free(lease);
      this.#settled.set(entry.token, lease.answer);
      if (this.#settled.size > REMEMBERED) this.#settled.delete(this.#settled.keys().next().value!);
    }
    if (entry.state === 'waiting') this.#waiting.remove([id]);
    this.#remove(entry.item);
  }

  #clear(actor: ActorKey): void {
    for (const id of this.#items.idsOf(actor)) {
      const entry = this.#items.get(id)!;
      if (entry.state !== 'held') this.#settle(id);
      else {
        this.#cancel(entry.token);
        this.#items.put({ ...entry, orphan: true });
      }
    }
  }

  #cancel(token: string): void {
    const lease = this.#leases.get(token)!;
    this.#leases.set(token, cancelled(lease, this.#deps.now(), this.#deps.settings));
  }

  #lose(lease: Lease, reason: string): void {
    const { item, token } = lease;
    const isOrphan = this.#isOrphan(item.id);
    this.#free(lease);
    if (isOrphan) this.#remove(item);
    else if (lease.cancelled) this.#tell([{ what: 'dropped', item }]);
    else this.#tell([{ what: 'lost', item, token, reason }]);
  }

  #heldBy(worker: string): readonly Lease[] {
    return [...this.#leases.values()].filter((lease) => lease.worker === worker);
  }

  /** Others that the worker of a lease works on in turn with it. */
  #besides({ token, worker, inTurn }: Lease): readonly Lease[] {
    if (inTurn !== true) return [];
    return this.#heldBy(worker).filter((other) => other.inTurn === true && other.token !== token);
  }

  /**
   * On which of several items a worker was when it went is not known, nor whether it had got all of them: all go back, each to be handed out
   * alone.
   */
  #loseOrSetApart(leases: readonly Lease[], reason: string): void {
    for (const lease of leases)
      if (leases.length === 1) this.#lose(lease, reason);
      else {
        this.#alone.add(lease.item.id);
        this.#giveBack(lease);
      }
  }

  #mostInTurn(queues: readonly string[], max: number): number {
    const lengths = this.#waiting.lengths();
    const waiting = queues.reduce((sum, queue) => sum + (lengths.get(queue) ?? 0), 0);
    return Math.min(max, Math.max(FEW, Math.ceil(waiting / 2)));
  }

  #take(queues: readonly string[], most: number, worker: string): readonly WorkItem[] {
    const isAlone = (id: string) => this.#alone.has(id);
    const held = this.#heldBy(worker);
    if (held.some(({ item: { id } }) => isAlone(id))) return [];
    return this.#waiting.take(queues, most, { isAlone, holds: held.length > 0 });
  }

  #giveBack(lease: Lease, begun = true): void {
    const { item, token } = lease;
    const entry = this.#items.get(item.id);
    const releases = entry?.state === 'held' ? entry.releases : 0;
    if (lease.cancelled) this.#lose(lease, '');
    else if (begun && releases >= MAX_RELEASES) this.#lose(lease, `it was given back ${MAX_RELEASES} times`);
    else {
      this.#free(this.#leases.get(token)!);
      this.#wait(item, begun ? releases + 1 : releases);
      this.#offered(new Set([item.queue]));
    }
  }

  #isOrphan(id: string): boolean {
    const entry = this.#items.get(id);
    return entry?.state === 'held' && entry.orphan;
  }

  #hold(lease: Lease, releases: number): void {
    const { item, token } = lease;
    this.#leases.set(token, lease);
    this.#held.set(item.queue, (this.#held.get(item.queue) ?? 0) + 1);
    this.#items.put({ state: 'held', item, token, releases, orphan: false });
  }

  /** The lease is over. */
  #free({ item, token }: Lease): void {
    this.#leases.delete(token);
    this.#held.set(item.queue, this.#held.get(item.queue)! - 1);
    this.#kept.drop(item.id);
  }

  #of(token: string, worker: string): Lease | undefined {
    const lease = this.#leases.get(token);
    return lease?.worker === worker ? lease : undefined;
  }

  #remove(item: WorkItem): void {
    this.#items.remove(item);
    this.#alone.delete(item.id);
  }

  #tell(news: readonly News[]): void {
    if (news.length === 0) return;
    for (const one of news) this.#items.put({ state: 'told', item: one.item, news: one });
    for (const listener of this.#listeners) listener.news(news);
  }

  #offered(names: ReadonlySet<string>): void {
    const queues = new Map<string, Pick<QueueFigures, 'waiting' | 'held'>>();
    for (const queue of names) {
      const waiting = this.#waiting.lengths().get(queue) ?? 0;
      if (waiting > 0) queues.set(queue, { waiting, held: this.#held.get(queue) ?? 0 });
    }
    if (queues.size > 0) for (const listener of this.#listeners) listener.offered(queues);
  }
}

function settled<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
