import type {
  Claim,
  Lease,
  LedgerListener,
  News,
  QueueFigures,
  WorkStatus,
  WorkChange,
  WorkItem,
  WorkLedger,
} from './ledger.ts';
import type { LeaseWriter, StoredLease } from './lease-store.ts';
import { LEDGER_DEFAULTS, LedgerState, type LedgerDeps } from './ledger-state.ts';
import {
  markAnswered,
  noteArrival,
  beat,
  beatBeside,
  expiryOf,
  expiryReason,
  isUnheardOf,
  newLease,
  postpone,
} from './leases.ts';
import type { ActorKey } from './store.ts';

/**
 * The ledger in memory, for a server that shares its store with no other server. Rows of live actors contain the work, and the server
 * offers it again at its start. Only leases of workers that outlive the server are on disk.
 */
export class MemoryLedger implements WorkLedger {
  readonly #deps: LedgerDeps;
  readonly #state: LedgerState;
  #turn = 0;

  constructor(deps: Partial<LedgerDeps> = {}) {
    this.#deps = { ...LEDGER_DEFAULTS, ...deps };
    this.#state = new LedgerState(this.#deps);
  }

  watch(listener: LedgerListener): void {
    this.#state.listeners.push(listener);
  }

  /** Stores leases of lasting workers with this writer from now on. `kept` are those of an earlier process. */
  keepIn(keeper: LeaseWriter, kept: readonly StoredLease[]): void {
    this.#state.stored.keepIn(
      keeper,
      kept.map(({ item }) => item.id),
    );
    for (const { token, worker, item, heldMs } of kept) {
      const at = this.#deps.now();
      const lease = newLease(token, item, worker, at, this.#deps.settings);
      this.#state.hold({ ...lease, startedAt: at - heldMs, wholeUntil: lease.wholeUntil - heldMs }, 0);
      this.#state.waiting.hold(item);
    }
  }

  isKept(item: string): boolean {
    return this.#state.stored.has(item);
  }

  /** Makes the changes of an actor's commit after it was written. */
  apply(
    actor: ActorKey,
    { offer = [], prioritize = [], withdraw = [], settle = [], clear = false }: WorkChange,
  ): void {
    for (const id of settle) this.#state.settle(id);
    if (clear) this.#state.clear(actor);
    this.#state.prioritize(prioritize);
    this.#state.withdraw(withdraw);
    this.#state.offer(offer);
  }

  offer(items: readonly WorkItem[]): Promise<void> {
    return runAsync(() => this.#state.offer(items));
  }

  withdraw(items: readonly WorkItem[]): Promise<void> {
    return runAsync(() => this.#state.withdraw(items));
  }

  claim({ queues, max, worker, lasting = false, inTurn = false }: Claim): Promise<readonly Lease[]> {
    return runAsync(() => {
      if (queues.length === 0) return [];
      // A worker of several queues begins with another queue at each claim, so that no queue starves.
      const turn = this.#turn++ % queues.length;
      const all = [...queues.slice(turn), ...queues.slice(0, turn)];
      const at = this.#deps.now();
      const taken = this.#state.take(all, inTurn ? this.#state.mostInTurn(all, max) : max, worker);
      return taken.map((item) => {
        const entry = this.#state.items.get(item.id);
        const plain = newLease(this.#deps.newToken(), item, worker, at, this.#deps.settings);
        const last = this.#state.items.countOf(item.actor) === 1;
        const lease: Lease = inTurn ? { ...plain, inTurn, ...(last ? { last } : {}) } : plain;
        this.#state.hold(lease, entry?.state === 'waiting' ? entry.releases : 0);
        if (lasting) this.#state.stored.keep(lease);
        return lease;
      });
    });
  }

  beat(token: string, worker: string, done: number, total: number): Promise<'on' | 'cancelled' | 'lost'> {
    return runAsync(() => {
      const lease = this.#state.of(token, worker);
      if (lease === undefined) return 'lost';
      const { settings, now } = this.#deps;
      const at = now();
      this.#state.leases.set(token, beat(lease, { done, total }, at, settings));
      for (const other of this.#state.besides(lease))
        this.#state.leases.set(other.token, beatBeside(other, done > lease.done, at, settings));
      return lease.cancelled ? 'cancelled' : 'on';
    });
  }

  noteArrival(token: string, whole: boolean, answer?: string): Promise<boolean> {
    return runAsync(() => {
      const lease = this.#state.leases.get(token);
      if (lease === undefined) return true;
      if (answer !== undefined && (lease.answer ?? answer) !== answer) return false;
      const { settings, now } = this.#deps;
      this.#state.leases.set(
        token,
        whole ? markAnswered(lease, answer) : noteArrival(lease, now(), settings),
      );
      return true;
    });
  }

  answerOf(token: string): Promise<string | undefined> {
    return runAsync(() => this.#state.settled.get(token));
  }

  look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'> {
    return runAsync(
      () => this.#state.of(token, worker) ?? (this.#state.settled.has(token) ? 'settled' : 'lost'),
    );
  }

  release(token: string, worker: string, begun = true): Promise<boolean> {
    return runAsync(() => {
      const lease = this.#state.of(token, worker);
      if (lease !== undefined) this.#state.giveBack(lease, begun);
      return lease !== undefined;
    });
  }

  reject(token: string, reason: string): Promise<boolean> {
    return runAsync(() => {
      const lease = this.#state.leases.get(token);
      if (lease !== undefined) this.#state.lose(lease, reason);
      return lease !== undefined;
    });
  }

  forget(token: string): Promise<void> {
    return runAsync(() => {
      const lease = this.#state.leases.get(token);
      if (lease === undefined) return;
      this.#state.free(lease);
      this.#state.remove(lease.item);
    });
  }

  releaseWorker(worker: string, counted: boolean, reason: string): Promise<void> {
    return runAsync(() => {
      const held = this.#state.heldBy(worker);
      if (counted) this.#state.loseOrSetApart(held, reason);
      else for (const lease of held) this.#state.giveBack(lease);
    });
  }

  unavailable(queue: string, reason: string): Promise<void> {
    return runAsync(() => {
      const waiting = this.#state.waiting.remove(this.#state.items.waitingIn(queue));
      this.#state.tell(waiting.map((item) => ({ what: 'lost', item, token: '', reason })));
    });
  }

  expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]> {
    return runAsync(() => {
      const { settings, now } = this.#deps;
      const at = now();
      if (stalledMs > 0)
        for (const [token, lease] of this.#state.leases)
          this.#state.leases.set(token, postpone(lease, stalledMs));
      return [...this.#state.leases.values()].flatMap((lease) => {
        const expiry = expiryOf(lease, at);
        if (expiry === null || !this.#state.leases.has(lease.token)) return [];
        const besides = this.#state.besides(lease);
        if (isUnheardOf(lease, besides, at)) {
          this.#state.giveBack(lease, false);
          return [];
        }
        const reason = expiryReason(expiry, settings);
        this.#state.loseOrSetApart([lease, ...besides], reason);
        return [{ lease, reason }];
      });
    });
  }

  news(limit: number): Promise<readonly News[]> {
    return runAsync(() => {
      const found: News[] = [];
      for (const entry of this.#state.items.all()) {
        if (found.length === limit) break;
        if (entry.state === 'told') found.push(entry.news);
      }
      return found;
    });
  }

  dismiss({ what, item }: News): Promise<void> {
    return runAsync(() => {
      const entry = this.#state.items.get(item.id);
      const isSame =
        entry?.state === 'told' && entry.news.what === what && entry.item.attempt === item.attempt;
      if (isSame) this.#state.remove(item);
    });
  }

  announce(): Promise<void> {
    return runAsync(() => this.#state.onOffer(new Set(this.#state.waiting.names())));
  }

  queues(): Promise<ReadonlyMap<string, QueueFigures>> {
    return runAsync(() => this.#state.figures());
  }

  counts(): Promise<ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>> {
    return runAsync(() => this.#state.counts());
  }

  leases(): Promise<readonly Lease[]> {
    return runAsync(() => [...this.#state.leases.values()]);
  }

  listIds(actor: ActorKey): Promise<ReadonlySet<string>> {
    return runAsync(() => new Set(this.#state.items.idsOf(actor)));
  }

  workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]> {
    return runAsync(() =>
      actors.map((actor) => {
        const entries = this.#state.items.idsOf(actor).map((id) => this.#state.items.get(id)!);
        const leases = entries.flatMap((entry) =>
          entry.state === 'held' ? [this.#state.leases.get(entry.token)!] : [],
        );
        const waiting = entries.flatMap((entry) => (entry.state === 'waiting' ? [entry.item] : []));
        return { leases, ahead: this.#state.waiting.ahead(waiting) };
      }),
    );
  }
}

function runAsync<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
