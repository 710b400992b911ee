/**
 * The contract of the store, in terms of actors. It contains nothing specific to a backend.
 *
 * An actor's durable state is a record (seldom replaced), a snapshot (small, replaced at every commit) and rows
 * (one per piece of work). Only `commit` writes it: atomically, and not if another server has committed since.
 */
import { randomId } from './random-id.ts';
import type { ActorKey } from './actor-key.ts';
import type { WorkChange, WorkLedger } from './ledger.ts';

export { actorName, type ActorKey } from './actor-key.ts';

export interface Snapshot {
  /** Number of the snapshot's schema. A schema that is newer than this code knows is refused at load. */
  readonly schema: number;
  readonly body: unknown;
}

export interface Row {
  readonly key: string;
  readonly body: unknown;
}

export interface IndexEntry {
  readonly id: string;
  readonly score: number;
}

/**
 * A notice to deliver, such as a callback or a post. It is written with the state that requires it. It stays until a later commit of
 * the same actor removes it.
 */
export interface Notice {
  /** Unique; the Idempotency-Key of every attempt. */
  readonly id: string;
  /** The receiver. One delivery actor sends all notices of a destination. */
  readonly destination: string;
  /** Earliest time to send it, in milliseconds since the epoch. */
  readonly due: number;
  readonly body: unknown;
}

export interface OutboxEntry extends Notice {
  readonly actor: ActorKey;
}

/** The server that commits. A takeover sets another owner and a higher epoch, so that the next commit of the old owner is refused. */
export interface Owner {
  readonly server: string;
  readonly epoch: number;
}

export interface Commit {
  readonly actor: ActorKey;
  /** The version that this commit builds on; 0 creates the actor. */
  readonly expected: number;
  /**
   * Id of the commit that wrote this version. A store that lost its last commits reaches the same versions again with other content.
   * If absent, only the version is compared.
   */
  readonly after?: string;
  /** Unique id of this commit. If absent, the store makes one. */
  readonly id?: string;
  readonly owner: Owner;
  /** null deletes the actor with its rows, index entries and notices. */
  readonly snapshot: Snapshot | null;
  /** Given when the actor is created. A later record replaces it. */
  readonly record?: unknown;
  /** Names of parts of the record that many actors share. A store keeps each content of them once. */
  readonly common?: readonly string[];
  readonly putRows?: readonly Row[];
  /** Removes every row of the actor whose key starts with one of these. */
  readonly removeRows?: readonly string[];
  /** Sets the actor's score in an index; null removes it from the index. */
  readonly index?: Readonly<Record<string, number | null>>;
  /** Notices to add (one with the same id is replaced), and ids of notices to remove. */
  readonly outbox?: { readonly put?: readonly Notice[]; readonly remove?: readonly string[] };
  /** Whole numbers to add to counters. A counter that reaches 0 is deleted. */
  readonly counters?: Readonly<Record<string, number>>;
  /** Changes of the actor's work. */
  readonly work?: WorkChange;
  /** True if the commit must survive a power loss before it is acknowledged. All commits survive the death of the process. */
  readonly synced?: boolean;
}

export interface StoredActor {
  readonly version: number;
  /** Id of the commit that wrote it. */
  readonly commit: string;
  readonly owner: Owner;
  readonly snapshot: Snapshot;
  readonly record: unknown;
}

/** Changes of an actor since a known commit. */
export interface Changed extends Pick<StoredActor, 'version' | 'commit' | 'snapshot'> {
  /** Current content of all rows that were written since. No row was deleted. */
  readonly rows: readonly Row[];
}

export type Since = 'nothing' | 'unknown' | Changed;

/** Identifies one state of an actor. */
export type Committed = Pick<StoredActor, 'version' | 'commit'>;

export interface ListOptions {
  /** Returns entries after this one, the last of the previous page. */
  readonly after?: IndexEntry;
  readonly limit: number;
  readonly descending?: boolean;
}

export interface RowOptions {
  readonly prefix: string;
  /** Returns rows after this key. */
  readonly after?: string;
  readonly limit: number;
}

export interface OutboxOptions {
  /** Returns entries after this one, the last of the previous page. */
  readonly after?: Pick<OutboxEntry, 'id' | 'due'>;
  readonly limit: number;
}

export interface QuarantineOptions {
  /** The known commit. Absent if not even that could be read. */
  readonly seen?: Committed;
  /** Added to counters as by a commit, because the actor no longer counts. */
  readonly counters?: Commit['counters'];
}

export interface Store {
  /** True if other servers may commit as well, so that data may have changed since it was read. */
  readonly shared: boolean;
  /** The ledger for the work of the actors. */
  readonly work: WorkLedger;
  /**
   * Writes an actor's state. Returns its new version, or 0 if it was deleted.
   * @throws VersionConflict if `expected` or `after` is not what is stored; NotStorable if the content cannot be stored
   */
  commit(commit: Commit): Promise<number>;
  /** Returns the stored actor, or undefined if there is none. */
  load(actor: ActorKey): Promise<StoredActor | undefined>;
  /**
   * Returns the changes of an actor since this commit, all of one moment. 'unknown': the store does not remember them all, or the actor
   * does not descend from that commit. Absent if the store remembers no changes.
   */
  since?(actor: ActorKey, seen: Committed): Promise<Since>;
  /** Returns a page of an actor's rows by key. */
  rows(actor: ActorKey, options: RowOptions): Promise<readonly Row[]>;
  /** Returns a page of an index by (score, id). */
  list(index: string, options: ListOptions): Promise<readonly IndexEntry[]>;
  /** Returns the number of entries of an index. */
  count(index: string): Promise<number>;
  /** Returns a page of a destination's notices by (due, id). */
  outbox(destination: string, options: OutboxOptions): Promise<readonly OutboxEntry[]>;
  /** Returns a page of the destinations that have notices, by name. */
  destinations(options: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /**
   * Returns counters whose names start with `prefix`. Names that start with `@` and are equal up to the first slash form a group. A prefix
   * with that slash reads only its group.
   */
  counters(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Reserves `n` numbers of a sequence and returns the first. Sequences start at 1 and never go back. A crash may skip some numbers. */
  next(sequence: string, n?: number): Promise<number>;
  /**
   * Moves an actor that cannot be loaded to quarantine, with all its data and the reason, and out of every index and the outbox. Returns
   * false if the actor has changed since it was seen; then it stays.
   */
  quarantine(actor: ActorKey, reason: string, options?: QuarantineOptions): Promise<boolean>;
  /** Returns why new jobs must be refused to leave room for running ones, or undefined. Absent if only the disk can be full. */
  full?(): Promise<string | undefined>;
  /** Returns used and allowed bytes of memory; `most` is 0 if there is no limit. Absent if the store is on disk. */
  memory?(): Promise<{ readonly used: number; readonly most: number }>;
  /** Returns the newest schema of a kind of actor that another live server can read; 0 if none. Absent if there are no other servers. */
  knownElsewhere?(kind: string): Promise<number>;
  /** True if no server has changed an actor of these kinds recently, so that polling is unnecessary. Absent if not known. */
  isQuiet?(...kinds: readonly string[]): boolean;
  /** @throws Error if the store does not work */
  check(): Promise<void>;
  /** Milliseconds since the store became reachable again. Absent if it is always reachable. */
  reachedMs?(): number;
  close(): Promise<void>;
}

/** A value can never be stored, because it is too large or not JSON. */
export class NotStorable extends Error {
  override readonly name = 'NotStorable';
}

/** The stored data of one actor is damaged: a part is missing, or of another type. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

/** The store cannot be reached or does not answer. It may have executed the request. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}

/** The store answers but currently accepts no writes: it lacks replicas, is a replica itself, or cannot write to its disk. */
export class StoreRefuses extends StoreAway {}

export class VersionConflict extends Error {
  constructor(actor: ActorKey, expected: number) {
    super(
      `${actor.kind}/${actor.id} was changed by another writer: version ${expected} is not the stored one.`,
    );
    this.name = 'VersionConflict';
  }
}

/** Makes a unique id of a commit. */
export const newCommitId = randomId;

/** Returns the version that the next commit expects. Undefined or version 0 means that nothing is stored. */
export const commitAfter = (seen: Committed | undefined): Pick<Commit, 'expected' | 'after'> =>
  seen === undefined || seen.version === 0 ? { expected: 0 } : { expected: seen.version, after: seen.commit };

/** Yields the event loop between two pages. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads all rows of an actor below `prefix`, page by page. */
export async function* allRows(
  store: Store,
  actor: ActorKey,
  prefix = '',
  pageSize = 500,
): AsyncGenerator<Row> {
  for (let after: string | undefined; ;) {
    const page = await store.rows(actor, {
      prefix,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    yield* page;
    if (page.length < pageSize) return;
    await turn();
    after = page.at(-1)?.key;
  }
}

/**
 * Reads all rows of an actor below `prefix` that belong to the snapshot of this commit. Returns undefined if there was another commit
 * since, because snapshot and rows would not match.
 */
export async function rowsOfCommit(
  store: Store,
  actor: ActorKey,
  prefix: string,
  seen: Committed,
): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  for await (const row of allRows(store, actor, prefix)) rows.push(row);
  return isStill(seen, await store.load(actor)) ? rows : undefined;
}

/** True if an actor has not changed since `seen`. Version 0 means that it was not stored. */
export const isStill = (seen: Committed, stored: StoredActor | undefined): boolean =>
  seen.version === (stored?.version ?? 0) && seen.commit === (stored?.commit ?? '');

/** Returns the changes of an actor since it was seen, with any store. */
export const changesSince = async (store: Store, actor: ActorKey, seen: Committed): Promise<Since> => {
  if (store.since !== undefined) return store.since(actor, seen);
  return isStill(seen, await store.load(actor)) ? 'nothing' : 'unknown';
};

/** Reads all entries of an index in ascending order, page by page. */
export async function* allEntries(store: Store, index: string, pageSize = 500): AsyncGenerator<IndexEntry> {
  for (let after: IndexEntry | undefined; ;) {
    const page = await store.list(index, { limit: pageSize, ...(after === undefined ? {} : { after }) });
    yield* page;
    if (page.length < pageSize) return;
    await turn();
    after = page.at(-1);
  }
}
