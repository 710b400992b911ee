/**
 * The contract of the work ledger: waiting items, held leases and lost items. The ledger is an index over the states of
 * actors. An actor changes it as part of its commit (`Commit.work`). News about the work stays here until a later commit of the actor
 * has handled it, so a crash in between loses nothing.
 */
import type { ActorKey } from './actor-key.ts';

/** A piece of work that an actor wants done. */
export interface WorkItem {
  /** Unique. Offering an item again has no effect. */
  readonly id: string;
  readonly actor: ActorKey;
  /** Key of the actor's row for this item. */
  readonly key: string;
  /** Queue that the components claim from. */
  readonly queue: string;
  /** 0 to 9. Higher priorities are claimed first. */
  readonly priority: number;
  /** Kind of work, for the worker that claims the item. */
  readonly kind: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Share of the actor's progress in percent. */
  readonly share: number;
  /** User whose share of the queue the item uses: at equal priority, users share a queue. Items without a user count as one more user. */
  readonly user?: string;
  /** The user's group, which may have a weight. */
  readonly group?: string;
}

/** Changes of the ledger that a commit of an actor makes. */
export interface WorkChange {
  /** Items to do from now on. An item that was lost or dropped is only offered again with a later attempt. */
  readonly offer?: readonly WorkItem[];
  /** Items with a new priority. A waiting item then waits behind others of that priority. A held item uses it when it is released. */
  readonly prioritize?: readonly WorkItem[];
  /** Items that the actor no longer needs. Waiting items are dropped, and workers that hold one are told to stop. */
  readonly withdraw?: readonly WorkItem[];
  /** Ids of items that have ended: each was answered, or the actor has handled its loss or drop. */
  readonly settle?: readonly string[];
  /** Ends all work of the actor. Workers that hold some of it are told to stop. */
  readonly clear?: boolean;
}

/** The right of one worker to work on an item. Times are milliseconds of the ledger's clock, which clock changes do not affect. */
export interface Lease {
  /** 128 random bits. A worker needs the token to answer. */
  readonly token: string;
  readonly item: WorkItem;
  readonly worker: string;
  readonly startedAt: number;
  /** Three deadlines: of the lease (extended by heartbeats), of silence (extended by progress), and of the whole item. */
  readonly leaseUntil: number;
  readonly silentUntil: number;
  readonly wholeUntil: number;
  readonly done: number;
  readonly total: number;
  /** The actor no longer needs the item. */
  readonly cancelled: boolean;
  /** When the lease ends if the worker has not stopped; set when the item is cancelled. */
  readonly killAt: number | null;
  /** The worker works on it before or after other items (`Claim.inTurn`). */
  readonly inTurn?: true;
  /** The ledger had no other item of the actor when this one was claimed. */
  readonly last?: true;
  /** The worker has sent a heartbeat for this lease, not only for others. */
  readonly begun?: true;
  /** Digest of the first answer that arrived. */
  readonly answer?: string;
  /** The actor's row of the item, if the ledger has it at hand. */
  readonly row?: unknown;
}

export interface LeaseSettings {
  readonly leaseMs: number;
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly cancelGraceMs: number;
}

/** News for the actor of an item. It stays in the ledger until the actor settles the item or offers its next attempt. */
export type News =
  /** An attempt was lost: its worker died, hung or sent an invalid answer. The token is that of its lease, or '' if it had none. */
  | { readonly what: 'lost'; readonly item: WorkItem; readonly token: string; readonly reason: string }
  /** A withdrawn item that no worker holds any more. */
  | { readonly what: 'dropped'; readonly item: WorkItem };

export interface Claim {
  readonly queues: readonly string[];
  readonly max: number;
  readonly worker: string;
  /** True if the worker outlives this server. Then its leases outlive the server, too. */
  readonly lasting?: boolean;
  /**
   * The worker does one item after the other and answers several at a time. If it hangs with several items, the ledger cannot know which
   * item was at fault and acts as if the worker had died (`releaseWorker`). An item that it does not begin in time, while it progresses
   * with others, is released: the worker may not know it. The worker gets at most half of many waiting items, so that other workers
   * get some.
   */
  readonly inTurn?: boolean;
}

/** State of an actor's work: its leases, and for each queue with other items of it the number of items ahead of the first. */
export interface WorkStatus {
  readonly leases: readonly Lease[];
  readonly ahead: ReadonlyMap<string, number>;
}

export interface QueueFigures {
  readonly waiting: number;
  readonly held: number;
  /** Number of milliseconds for which the oldest waiting item has waited; 0 if none waits. */
  readonly oldestMs: number;
}

/** Receives changes that this server makes, at once. `news` and `queues` return what a listener missed. */
export interface LedgerListener {
  /** These queues have waiting items. */
  onOffer(queues: ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>): void;
  news(news: readonly News[]): void;
}

export interface WorkLedger {
  watch(listener: LedgerListener): void;
  /** Offers items of an actor again, in case the ledger has lost them. Items that the ledger has do not change. */
  offer(items: readonly WorkItem[]): Promise<void>;
  /** Withdraws items of an actor again. */
  withdraw(items: readonly WorkItem[]): Promise<void>;
  /**
   * Hands out up to `max` items, the highest priority first. Users of one priority get their shares, the actors of a user alternate, and
   * the items of an actor keep their order.
   */
  claim(claim: Claim): Promise<readonly Lease[]>;
  /** Heartbeat of a worker with its progress. For a worker in turn, it counts for all its items. `lost`: the lease is not its own. */
  beat(token: string, worker: string, done: number, total: number): Promise<'on' | 'cancelled' | 'lost'>;
  /**
   * Extends the lease because bytes of its answer arrived. With `whole`, the answer is complete and no more progress is expected. The lease
   * remembers the digest `answer`. Returns false if a different answer arrived before.
   */
  noteArrival(token: string, whole: boolean, answer?: string): Promise<boolean>;
  /** Returns the lease if its answer can be accepted. `settled`: an answer was accepted before. */
  look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'>;
  /** Returns the digest of the accepted answer to this lease, or undefined if it is not remembered. */
  answerOf(token: string): Promise<string | undefined>;
  /**
   * Releases an item, which then waits again. This counts no attempt, unless work on it had begun too many times. Returns false if the
   * worker does not hold the lease.
   */
  release(token: string, worker: string, begun?: boolean): Promise<boolean>;
  /** The answer is invalid, so the attempt is lost. Returns false if the lease is not held. */
  reject(token: string, reason: string): Promise<boolean>;
  /** Deletes a held item that no actor needs any more. */
  forget(token: string): Promise<void>;
  /**
   * A worker is gone. Its items are released, or lost if `counted`. If it held several, the ledger cannot know which was at fault or
   * whether the worker received all of them. Then no attempt counts, and each item is later handed out alone. So only an item that is at
   * fault costs attempts.
   */
  releaseWorker(worker: string, counted: boolean, reason: string): Promise<void>;
  /**
   * No component can serve this queue, so its waiting items are lost. Each server of a shared ledger reports this for itself. It gives an
   * empty reason if the queue is not one of its own. Items are lost when all servers have reported and one gave a reason.
   */
  unavailable(queue: string, reason: string): Promise<void>;
  /** Ends expired leases and returns them. `stalledMs`: time during which this server was stalled, which does not count as silence. */
  expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]>;
  /** News that actors have not handled yet. */
  news(limit: number): Promise<readonly News[]>;
  /** Deletes the item of this news, which its actor does not need any more, unless the item has changed since. */
  dismiss(news: News): Promise<void>;
  /** Reports again which queues have waiting items. */
  announce(): Promise<void>;
  /** All queues with waiting or held items. */
  queues(): Promise<ReadonlyMap<string, QueueFigures>>;
  /** The same without ages, which need a read of all waiting items. */
  counts(): Promise<ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>>;
  leases(): Promise<readonly Lease[]>;
  /** Ids of all items of an actor in the ledger. */
  listIds(actor: ActorKey): Promise<ReadonlySet<string>>;
  workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]>;
}
