/**
 * The contract of the work ledger: what waits, which lease holds it, and what was lost. The ledger is an index over the states of
 * actors. An actor changes it as part of its commit (`Commit.work`). News about the work stays here until a later commit of the actor
 * has handled it, so a crash in between loses nothing.
 */
import type { ActorKey } from './actor-key.ts';

/** A piece of work that an actor wants done. */
export interface WorkItem {
  /** Unique; offering it twice is offering it once. */
  readonly id: string;
  readonly actor: ActorKey;
  /** What the actor knows it by: the key of its row. */
  readonly key: string;
  /** Who serves it. */
  readonly queue: string;
  /** 0 to 9, 9 first. */
  readonly priority: number;
  /** What is to be done, for whoever claims it. */
  readonly kind: string;
  /** From 1. */
  readonly attempt: number;
  /** How much of its actor's progress it stands for, in percent. */
  readonly share: number;
  /** Whose turn it takes: at equal priority users share a queue. Absent: nobody's, which counts as a user, too. */
  readonly user?: string;
  /** The user's group, which may have a weight. */
  readonly group?: string;
}

/** What a commit of an actor changes in the ledger. */
export interface WorkChange {
  /** To be done from now on. Of what was lost or dropped only a later attempt is offered anew. */
  readonly offer?: readonly WorkItem[];
  /** What is known of these waits with their priority from now on, behind what waits with it already; what is held does so when it is given back. */
  readonly prioritize?: readonly WorkItem[];
  /** Not wanted any more: what waits is dropped, and whoever holds one of them is told to stop. */
  readonly withdraw?: readonly WorkItem[];
  /** Ids of what is over: it was answered, or the actor has taken in that it was lost or dropped. */
  readonly settle?: readonly string[];
  /** All work of the actor is over; whoever holds some of it is told to stop. */
  readonly clear?: boolean;
}

/** An item in one worker's hands. Times are milliseconds of the ledger's own clock, which no clock change moves. */
export interface Lease {
  /** 128 random bits: who knows it may answer. */
  readonly token: string;
  readonly item: WorkItem;
  readonly worker: string;
  readonly startedAt: number;
  /** Three clocks: the lease (moved by heartbeats), silence (moved by progress), the whole. */
  readonly leaseUntil: number;
  readonly silentUntil: number;
  readonly wholeUntil: number;
  readonly done: number;
  readonly total: number;
  /** The item is not wanted any more. */
  readonly cancelled: boolean;
  /** When the worker is ended if it has not stopped by then; set when the item is cancelled. */
  readonly killAt: number | null;
  /** Its worker works on it before or after others: see `Claim`. */
  readonly inTurn?: true;
  /** Nothing else of its actor is known. */
  readonly last?: true;
  /** Its worker has beaten for it, and not only for others. */
  readonly begun?: true;
  /** The digest of the first answer that has come. */
  readonly answer?: string;
  /** What its actor has stored of the item, where the ledger has that at hand. */
  readonly row?: unknown;
}

export interface LeaseSettings {
  readonly leaseMs: number;
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly cancelGraceMs: number;
}

/** What the actor of an item has to hear; it stays in the ledger until the actor settles the item or offers its next attempt. */
export type News =
  /** An attempt was lost: its worker died, hung or answered garbage. The token is that of its lease; '' when nobody held it. */
  | { readonly what: 'lost'; readonly item: WorkItem; readonly token: string; readonly reason: string }
  /** What was withdrawn is in nobody's hands any more. */
  | { readonly what: 'dropped'; readonly item: WorkItem };

export interface Claim {
  readonly queues: readonly string[];
  readonly max: number;
  readonly worker: string;
  /** The worker outlives this server: its leases do so, too. */
  readonly lasting?: boolean;
  /**
   * The worker does one item after the other and answers several at a time. When it hangs with several, nobody can tell on which of them
   * it was: that is as when it is gone (see `releaseWorker`). What it does not begin before its silence runs out while it gets on with others is given
   * back, for it may never have heard of it. Of many that wait it gets no more than half, for others may come for some as well.
   */
  readonly inTurn?: boolean;
}

/** Where the work of an actor stands: what is held, and for each queue with other work of it how many items go before its first. */
export interface WorkStatus {
  readonly leases: readonly Lease[];
  readonly ahead: ReadonlyMap<string, number>;
}

export interface QueueFigures {
  readonly waiting: number;
  readonly held: number;
  /** Milliseconds for which the first of those that wait has waited; 0 when none waits. */
  readonly oldestMs: number;
}

/** Told at once of what happens through this server. Whoever misses it finds it with `news` and `queues`. */
export interface LedgerListener {
  /** These queues have items that wait. */
  onOffer(queues: ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>): void;
  news(news: readonly News[]): void;
}

export interface WorkLedger {
  watch(listener: LedgerListener): void;
  /** Says again what an actor wants done, for a ledger that may have forgotten it. What is known stays as it is. */
  offer(items: readonly WorkItem[]): Promise<void>;
  /** The same of what it does not want any more. */
  withdraw(items: readonly WorkItem[]): Promise<void>;
  /** Hands out up to `max` items: the highest priority first, users of one priority by their shares, actors of a user in turn, an actor's items in order. */
  claim(claim: Claim): Promise<readonly Lease[]>;
  /** A worker is alive and has done so much; of one that works in turn that goes for all it holds. `lost`: the item is not its own any more. */
  beat(token: string, worker: string, done: number, total: number): Promise<'on' | 'cancelled' | 'lost'>;
  /**
   * Bytes of an answer have come, or all of them: then no more progress is waited for. `answer`: the digest of what has come, which is
   * remembered with the lease. False: another answer has come before.
   */
  noteArrival(token: string, whole: boolean, answer?: string): Promise<boolean>;
  /** Whether an answer may be taken; `settled`: it was taken before. */
  look(token: string, worker: string): Promise<Lease | 'settled' | 'lost'>;
  /** The digest of the accepted answer to this lease; undefined: it is not remembered. */
  answerOf(token: string): Promise<string | undefined>;
  /**
   * Given back unharmed: it waits again and no attempt is counted, but not for ever when work on it had begun. False: the lease is not
   * held.
   */
  release(token: string, worker: string, begun?: boolean): Promise<boolean>;
  /** The answer is none: the attempt is lost. False: the lease is not held. */
  reject(token: string, reason: string): Promise<boolean>;
  /** Nobody knows what the item is for any more: it goes. */
  forget(token: string): Promise<void>;
  /**
   * A worker is gone: what it held was lost (`counted`) or is given back. On which of several it was nobody can tell, nor whether it had
   * got all of them, for the answer of a claim may be lost on its way. Then none of them counts as lost, and from then on each is handed
   * out with no other beside it: the one that is to blame costs attempts, all others do not.
   */
  releaseWorker(worker: string, counted: boolean, reason: string): Promise<void>;
  /**
   * Nobody can serve this queue: what waits in it is lost. Of servers that share the ledger each says so for itself, with an empty reason
   * when the queue is none of its own; when all have, and one has a reason, what waits is lost.
   */
  unavailable(queue: string, reason: string): Promise<void>;
  /** Loses what has run out, and says who held it. `stalledMs`: time in which this server stood still, which is nobody's silence. */
  expire(stalledMs: number): Promise<readonly { readonly lease: Lease; readonly reason: string }[]>;
  /** What actors have not taken in yet. */
  news(limit: number): Promise<readonly News[]>;
  /** The actor has nothing to do with this any more: its item goes, unless something else has become of it. */
  dismiss(news: News): Promise<void>;
  /** Says again which queues have work that waits. */
  announce(): Promise<void>;
  /** Every queue in which something waits or is held. */
  queues(): Promise<ReadonlyMap<string, QueueFigures>>;
  /** The same without ages, for which all that waits would be looked at. */
  counts(): Promise<ReadonlyMap<string, Pick<QueueFigures, 'waiting' | 'held'>>>;
  leases(): Promise<readonly Lease[]>;
  /** Ids of all that the ledger knows of an actor. */
  listIds(actor: ActorKey): Promise<ReadonlySet<string>>;
  workStatus(actors: readonly ActorKey[]): Promise<readonly WorkStatus[]>;
}
