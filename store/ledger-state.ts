import { LEDGER_LIMITS } from './ledger-limits.ts';
import { ItemIndex } from './item-index.ts';
import type { Lease, LeaseSettings, LedgerListener, News, QueueFigures, WorkItem } from './ledger.ts';
import { LeaseStore } from './lease-store.ts';
import { markCancelled } from './leases.ts';
import { randomId } from './random-id.ts';
import type { ActorKey } from './store.ts';
import { TurnQueue } from './turns/turn-queue.ts';

export interface LedgerDeps {
  readonly settings: LeaseSettings;
  /** Milliseconds of a clock that clock changes do not affect. */
  now(): number;
  newToken(): string;
  /** Weight of an item's user in comparison to other users. */
  weightOf(item: WorkItem): number;
}

export const LEDGER_DEFAULTS: LedgerDeps = {
  settings: { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 86_400_000, cancelGraceMs: 5_000 },
  now: () => performance.now(),
  newToken: randomId,
  weightOf: () => 1,
};

const { REMEMBERED, FEW, MAX_RELEASES } = LEDGER_LIMITS;

type Counts = Pick<QueueFigures, 'waiting' | 'held'>;

/** The state of the ledger in memory, and the transitions of its items and leases. */
export class LedgerState {
  readonly items = new ItemIndex();
  readonly waiting: TurnQueue;
  readonly leases = new Map<string, Lease>();
  /** Number of held items by queue. */
  readonly held = new Map<string, number>();
  /** Digest of the accepted answer by token. */
  readonly settled = new Map<string, string | undefined>();
  readonly listeners: LedgerListener[] = [];
  readonly stored = new LeaseStore();
  /** Ids of items that must run alone: a worker held them with others when it died or hung. */
  readonly alone = new Set<string>();
  readonly #deps: LedgerDeps;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.waiting = new TurnQueue(deps.weightOf);
  }

  /** Figures of each queue with waiting or held items. */
  figures(): ReadonlyMap<string, QueueFigures> {
    const oldest = this.items.oldest(this.#deps.now());
    const withAge = ([queue, counts]: readonly [string, Counts]) =>
      [queue, { ...counts, oldestMs: oldest.get(queue) ?? 0 }] as const;
    return new Map([...this.counts()].map(withAge));
  }

  /** The same figures without ages. */
  counts(): ReadonlyMap<string, Counts> {
    const counts = new Map<string, Counts>();
    for (const queue of new Set([...this.waiting.names(), ...this.held.keys()])) {
      const [waiting, held] = [this.waiting.lengthOf(queue), this.held.get(queue) ?? 0];
      if (waiting + held > 0) counts.set(queue, { waiting, held });
    }
    return counts;
  }

  offer(items: readonly WorkItem[]): void {
    const queues = new Set<string>();
    for (const item of items) {
      queues.add(item.queue);
      const entry = this.items.get(item.id);
      // The actor does not know the outcome of this attempt yet. Only a later attempt is new.
      if (entry !== undefined && (entry.state !== 'told' || item.attempt <= entry.item.attempt)) continue;
      this.wait(item, 0);
    }
    this.onOffer(queues);
  }

  wait(item: WorkItem, releases: number): void {
    this.items.put({ state: 'waiting', item, since: this.#deps.now(), releases });
    this.waiting.offer([item]);
  }

  prioritize(items: readonly WorkItem[]): void {
    for (const { id, priority } of items) {
      const entry = this.items.get(id);
      if (entry === undefined || entry.state === 'told') continue;
      const item = { ...entry.item, priority };
      if (entry.state === 'waiting') {
        this.waiting.remove([id]);
        this.waiting.offer([item]);
      } else this.leases.set(entry.token, { ...this.leases.get(entry.token)!, item });
      this.items.put({ ...entry, item });
    }
  }

  withdraw(items: readonly WorkItem[]): void {
    const dropped: News[] = [];
    for (const item of items) {
      const entry = this.items.get(item.id);
      if (entry?.state === 'held') this.cancel(entry.token);
      else if (entry?.state !== 'told' || entry.news.what !== 'dropped')
        dropped.push({ what: 'dropped', item });
    }
    this.waiting.remove(dropped.map(({ item }) => item.id));
    this.tell(dropped);
  }

  settle(id: string): void {
    const entry = this.items.get(id);
    if (entry === undefined) return;
    if (entry.state === 'held') {
      const lease = this.leases.get(entry.token)!;
      this.free(lease);
      this.settled.set(entry.token, lease.answer);
      if (this.settled.size > REMEMBERED) this.settled.delete(this.settled.keys().next().value!);
    }
    if (entry.state === 'waiting') this.waiting.remove([id]);
    this.remove(entry.item);
  }

  clear(actor: ActorKey): void {
    for (const id of this.items.idsOf(actor)) {
      const entry = this.items.get(id)!;
      if (entry.state !== 'held') this.settle(id);
      else {
        this.cancel(entry.token);
        this.items.put({ ...entry, orphan: true });
      }
    }
  }

  cancel(token: string): void {
    const lease = this.leases.get(token)!;
    this.leases.set(token, markCancelled(lease, this.#deps.now(), this.#deps.settings));
  }

  lose(lease: Lease, reason: string): void {
    const { item, token } = lease;
    const isOrphan = this.isOrphan(item.id);
    this.free(lease);
    if (isOrphan) this.remove(item);
    else if (lease.cancelled) this.tell([{ what: 'dropped', item }]);
    else this.tell([{ what: 'lost', item, token, reason }]);
  }

  heldBy(worker: string): readonly Lease[] {
    return [...this.leases.values()].filter((lease) => lease.worker === worker);
  }

  /** Other leases that the same worker claimed to work on in turn. */
  besides({ token, worker, inTurn }: Lease): readonly Lease[] {
    if (inTurn !== true) return [];
    return this.heldBy(worker).filter((other) => other.inTurn === true && other.token !== token);
  }

  /**
   * Loses the single lease of a worker that died or hung. With several leases, the ledger cannot know which item was at fault, or
   * whether the worker received all of them. So all items wait again, and each is then handed out alone.
   */
  loseOrSetApart(leases: readonly Lease[], reason: string): void {
    for (const lease of leases)
      if (leases.length === 1) this.lose(lease, reason);
      else {
        this.alone.add(lease.item.id);
        this.giveBack(lease);
      }
  }

  mostInTurn(queues: readonly string[], max: number): number {
    const waiting = queues.reduce((sum, queue) => sum + this.waiting.lengthOf(queue), 0);
    return Math.min(max, Math.max(FEW, Math.ceil(waiting / 2)));
  }

  take(queues: readonly string[], most: number, worker: string): readonly WorkItem[] {
    const isAlone = (id: string) => this.alone.has(id);
    const held = this.heldBy(worker);
    if (held.some(({ item: { id } }) => isAlone(id))) return [];
    return this.waiting.take(queues, most, { isAlone, holds: held.length > 0 });
  }

  giveBack(lease: Lease, begun = true): void {
    const { item, token } = lease;
    const entry = this.items.get(item.id);
    const releases = entry?.state === 'held' ? entry.releases : 0;
    if (lease.cancelled) this.lose(lease, '');
    else if (begun && releases >= MAX_RELEASES) this.lose(lease, `it was given back ${MAX_RELEASES} times`);
    else {
      this.free(this.leases.get(token)!);
      this.wait(item, begun ? releases + 1 : releases);
      this.onOffer(new Set([item.queue]));
    }
  }

  isOrphan(id: string): boolean {
    const entry = this.items.get(id);
    return entry?.state === 'held' && entry.orphan;
  }

  hold(lease: Lease, releases: number): void {
    const { item, token } = lease;
    this.leases.set(token, lease);
    this.held.set(item.queue, (this.held.get(item.queue) ?? 0) + 1);
    this.items.put({ state: 'held', item, token, releases, orphan: false });
  }

  /** Ends the lease. */
  free({ item, token }: Lease): void {
    this.leases.delete(token);
    const left = this.held.get(item.queue)! - 1;
    if (left > 0) this.held.set(item.queue, left);
    else this.held.delete(item.queue);
    this.waiting.free(item);
    this.stored.drop(item.id);
  }

  of(token: string, worker: string): Lease | undefined {
    const lease = this.leases.get(token);
    return lease?.worker === worker ? lease : undefined;
  }

  remove(item: WorkItem): void {
    this.items.remove(item);
    this.alone.delete(item.id);
  }

  tell(news: readonly News[]): void {
    if (news.length === 0) return;
    for (const one of news) this.items.put({ state: 'told', item: one.item, news: one });
    for (const listener of this.listeners) listener.news(news);
  }

  onOffer(names: ReadonlySet<string>): void {
    const queues = new Map<string, Pick<QueueFigures, 'waiting' | 'held'>>();
    for (const queue of names) {
      const waiting = this.waiting.lengthOf(queue);
      if (waiting > 0) queues.set(queue, { waiting, held: this.held.get(queue) ?? 0 });
    }
    if (queues.size > 0) for (const listener of this.listeners) listener.onOffer(queues);
  }
}
