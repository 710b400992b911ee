/**
 * The contract of the store, in the language of actors. Nothing of a backend crosses it.
 *
 * An actor's durable state is a record (seldom replaced), a snapshot (small, replaced at every commit) and rows
 * (one per piece of work). `commit` is the only write of it: atomic, and refused when somebody else has committed since.
 */
import { randomId } from './random-id.ts';
import type { ActorKey } from './actor-key.ts';
import type { WorkChange, WorkLedger } from './ledger.ts';

export { actorName, type ActorKey } from './actor-key.ts';

export interface Snapshot {
  /** Number of the snapshot's schema; a newer one than this code knows is refused at load. */
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
 * A notice that must leave the server (a callback, a post): written with the state that owes it, and there until a later commit of
 * the same actor takes it out.
 */
export interface Notice {
  /** Unique; the Idempotency-Key of every attempt. */
  readonly id: string;
  /** Whoever receives it: notices of one destination leave through one delivery actor. */
  readonly destination: string;
  /** Not to be sent before: milliseconds since the epoch. */
  readonly due: number;
  readonly body: unknown;
}

export interface OutboxEntry extends Notice {
  readonly actor: ActorKey;
}

/** Who commits: a take-over sets another owner and a higher epoch, so that the old owner's next commit is refused. */
export interface Owner {
  readonly server: string;
  readonly epoch: number;
}

export interface Commit {
  readonly actor: ActorKey;
  /** The version this commit builds on; 0 creates the actor. */
  readonly expected: number;
  /**
   * The id of the commit that wrote this version: a store that lost its last commits comes to the same versions again, with other
   * content. Absent: the version alone is compared.
   */
  readonly after?: string;
  /** Of this commit, never used before; absent: the store makes one. */
  readonly id?: string;
  readonly owner: Owner;
  /** null: the actor goes, with its rows, index entries and notices. */
  readonly snapshot: Snapshot | null;
  /** Given when the actor is created; a later one takes its place. */
  readonly record?: unknown;
  /** Names of parts of the record that many actors have in common: a store keeps each content of them once. */
  readonly common?: readonly string[];
  readonly putRows?: readonly Row[];
  /** Removes every row of the actor whose key starts with one of these. */
  readonly removeRows?: readonly string[];
  /** Sets the actor's score in an index, or (null) takes it out. */
  readonly index?: Readonly<Record<string, number | null>>;
  /** Notices that the actor owes from now on (one of the same id is replaced), and ids of those that it does not owe any more. */
  readonly outbox?: { readonly put?: readonly Notice[]; readonly remove?: readonly string[] };
  /** Whole numbers that are added to counters; a counter at 0 is not there. */
  readonly counters?: Readonly<Record<string, number>>;
  /** What the actor wants done from now on, and what not any more. */
  readonly work?: WorkChange;
  /** True: acknowledged only when it survives the loss of power. All commits survive the death of the process. */
  readonly synced?: boolean;
}

export interface StoredActor {
  readonly version: number;
  /** The id of the commit that wrote it. */
  readonly commit: string;
  readonly owner: Owner;
  readonly snapshot: Snapshot;
  readonly record: unknown;
}

/** What an actor has become since a commit that was seen. */
export interface Changed extends Pick<StoredActor, 'version' | 'commit' | 'snapshot'> {
  /** All rows that were written since, as they are now; none was removed. */
  readonly rows: readonly Row[];
}

export type Since = 'nothing' | 'unknown' | Changed;

/** Which state of an actor this is. */
export type Committed = Pick<StoredActor, 'version' | 'commit'>;

export interface ListOptions {
  /** Entries after this one, as an earlier page ended. */
  readonly after?: IndexEntry;
  readonly limit: number;
  readonly descending?: boolean;
}

export interface RowOptions {
  readonly prefix: string;
  /** Rows after this key. */
  readonly after?: string;
  readonly limit: number;
}

export interface OutboxOptions {
  /** Entries after this one, as an earlier page ended. */
  readonly after?: Pick<OutboxEntry, 'id' | 'due'>;
  readonly limit: number;
}

export interface QuarantineOptions {
  /** The commit that was seen; absent: not even that could be read. */
  readonly seen?: Committed;
  /** Added to as by a commit, for the actor is counted no more. */
  readonly counters?: Commit['counters'];
}

export interface Store {
  /** Other servers may commit as well: what was read may have been changed since. */
  readonly shared: boolean;
  /** What of all that work becomes. */
  readonly work: WorkLedger;
  /** Writes an actor's state; answers its new version (0 when it goes). Throws VersionConflict when `expected` (and `after`) is not what is stored, NotStorable when the content is at fault. */
  commit(commit: Commit): Promise<number>;
  /** The stored actor, or undefined when there is none. */
  load(actor: ActorKey): Promise<StoredActor | undefined>;
  /**
   * What has changed of an actor since this commit, of one moment; 'unknown': more than can be told, or what was seen is not what it came
   * from. Absent: nothing is remembered of that.
   */
  since?(actor: ActorKey, seen: Committed): Promise<Since>;
  /** A page of an actor's rows by key. */
  rows(actor: ActorKey, options: RowOptions): Promise<readonly Row[]>;
  /** A page of an index by (score, id). */
  list(index: string, options: ListOptions): Promise<readonly IndexEntry[]>;
  /** How many entries an index has. */
  count(index: string): Promise<number>;
  /** A page of a destination's notices by (due, id). */
  outbox(destination: string, options: OutboxOptions): Promise<readonly OutboxEntry[]>;
  /** A page of the destinations that have notices, by name. */
  destinations(options: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /**
   * Counters whose names start with `prefix`. Those whose names start with `@` and are the same up to the first slash lie together: to
   * read them costs by their number, when the prefix has the slash.
   */
  counters(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Reserves `n` numbers of a sequence; answers the first. Sequences start at 1 and never go back; after a crash some may be left out. */
  next(sequence: string, n?: number): Promise<number>;
  /**
   * Moves an actor that cannot be loaded out of the way, with all it has and the reason, and out of every index and the outbox. False:
   * it is not (any more) as it was seen, and stays.
   */
  quarantine(actor: ActorKey, reason: string, options?: QuarantineOptions): Promise<boolean>;
  /** Why nothing new is to be stored, so that what is there can go on; undefined: there is room. Absent: only the disk can be full. */
  full?(): Promise<string | undefined>;
  /** Bytes of memory that it takes, and may take: 0 when there is no limit. Absent: it lies on the disk. */
  memory?(): Promise<{ readonly used: number; readonly most: number }>;
  /** The newest schema of a kind of actor that another server which is there can read; 0: none. Absent: there are no others. */
  knownElsewhere?(kind: string): Promise<number>;
  /** No server has changed an actor of these kinds for long, so that nothing of them need be polled. Absent: not known. */
  isQuiet?(...kinds: readonly string[]): boolean;
  /** Throws when the store does not work. */
  check(): Promise<void>;
  /** Since it could be reached again, in milliseconds. Absent: it is never away. */
  reachedMs?(): number;
  close(): Promise<void>;
}

/** A value can never be stored: it is too large, or no JSON. */
export class NotStorable extends Error {
  override readonly name = 'NotStorable';
}

/** The stored data of one actor is damaged: a part is missing, or of another type. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

/** The store cannot be reached or does not answer; it may have executed the request or not. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}

/** The store answers, but accepts no writes for now: it lacks replicas, is a replica itself, or cannot write to its disk. */
export class StoreRefuses extends StoreAway {}

export class VersionConflict extends Error {
  constructor(actor: ActorKey, expected: number) {
    super(
      `${actor.kind}/${actor.id} was changed by another writer: version ${expected} is not the stored one.`,
    );
    this.name = 'VersionConflict';
  }
}

/** An id that no commit had before. */
export const newCommitId = randomId;

/** The version that the next commit expects; undefined, or version 0: nothing is stored. */
export const commitAfter = (seen: Committed | undefined): Pick<Commit, 'expected' | 'after'> =>
  seen === undefined || seen.version === 0 ? { expected: 0 } : { expected: seen.version, after: seen.commit };

/** Lets others have the event loop between two pages. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Every row of an actor below `prefix`, page by page. */
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
 * All rows of an actor below `prefix` as they were with the snapshot of this commit; undefined when there was another commit since,
 * because snapshot and rows would not match.
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

/** Whether an actor has not changed since `seen`. Version 0: it is not stored. */
export const isStill = (seen: Committed, stored: StoredActor | undefined): boolean =>
  seen.version === (stored?.version ?? 0) && seen.commit === (stored?.commit ?? '');

/** What has changed of an actor since it was seen, with any store. */
export const changesSince = async (store: Store, actor: ActorKey, seen: Committed): Promise<Since> => {
  if (store.since !== undefined) return store.since(actor, seen);
  return isStill(seen, await store.load(actor)) ? 'nothing' : 'unknown';
};

/** Every entry of an index in ascending order, page by page. */
export async function* allEntries(store: Store, index: string, pageSize = 500): AsyncGenerator<IndexEntry> {
  for (let after: IndexEntry | undefined; ;) {
    const page = await store.list(index, { limit: pageSize, ...(after === undefined ? {} : { after }) });
    yield* page;
    if (page.length < pageSize) return;
    await turn();
    after = page.at(-1);
  }
}
