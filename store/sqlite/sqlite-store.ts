import type { FileHandle } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { actorName } from '../actor-key.ts';
import { MemoryLedger } from '../memory-ledger.ts';
import { LeaseRows } from './lease-rows.ts';
import { LogSync } from './log-sync.ts';
import { openDatabase } from './open-database.ts';
import type { Place } from './place.ts';
import { Records } from './records.ts';
import { prefixEnd, prepare, type StateRow, type Statements } from './statements.ts';
import { RecentRows } from './recent-rows.ts';
import { Sequences, type Reservation } from './sequences.ts';
import { Writer, type Written } from './writer.ts';
import type {
  ActorKey,
  Commit,
  IndexEntry,
  ListOptions,
  OutboxEntry,
  OutboxOptions,
  Row,
  RowOptions,
  QuarantineOptions,
  Store,
  StoredActor,
} from '../store.ts';

/** Most characters of cached actors. A larger actor is read from the database each time. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_OF_ONE = KEPT_CHARACTERS / 64;

interface Waiting {
  resolve(outcome: number): void;
  reject(error: unknown): void;
}
type WaitingCommit = Waiting & { readonly commit: Commit };
type WaitingReservation = Waiting & Reservation;

export interface SqliteOptions {
  /** The data folder that contains the file. */
  readonly place?: Place;
  readonly work?: MemoryLedger;
  /** Syncs the log of the database to the disk. */
  readonly sync?: (log: FileHandle) => Promise<void>;
}

/**
 * The store in one SQLite file (WAL) of one process. Writes of one turn of the event loop share a transaction. Only
 * commits that must survive a power loss wait until the log is synced.
 */
export class SqliteStore implements Store {
  readonly shared = false;
  readonly work: MemoryLedger;
  readonly #database: Database.Database;
  readonly #statements: Statements;
  readonly #sequences: Sequences;
  readonly #records: Records;
  readonly #writer: Writer;
  readonly #log: LogSync;
  readonly #recent = new RecentRows();
  /** Cached actors. Only this store writes the file, so they are up to date. Callers must not change what they load. */
  readonly #loaded = new LRUCache<string, StoredActor>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: KEPT_OF_ONE,
  });
  /** Commits for the next transaction. Each actor waits for its commit, so their order does not matter. */
  #commits: WaitingCommit[] = [];
  #reservations: WaitingReservation[] = [];
  /** True if a flush is scheduled for the end of this turn of the event loop. */
  #isFlushing = false;

  /** The previous data folder, if it was moved since the database was last opened. */
  readonly movedFrom: Place | undefined;
  /** All earlier places of the data folder. */
  readonly formerPlaces: readonly Place[];

  /**
   * Opens or creates `file`, in the data folder at `place`.
   * @throws Error if another process holds the file, or the file has another format
   */
  constructor(file: string, { place, work = new MemoryLedger(), sync }: SqliteOptions = {}) {
    this.work = work;
    this.#log = new LogSync(`${file}-wal`, () => this.#flush(), sync);
    const opened = openDatabase(file, place);
    this.#database = opened.database;
    this.movedFrom = opened.movedFrom;
    this.formerPlaces = opened.formerPlaces;
    this.#statements = prepare(this.#database);
    this.#sequences = new Sequences(this.#statements);
    this.#records = new Records(this.#statements);
    const [sequences, recent, records] = [this.#sequences, this.#recent, this.#records];
    this.#writer = new Writer(this.#database, this.#statements, { work, sequences, recent, records });
    const leases = new LeaseRows(this.#database, this.#statements);
    work.keepIn(leases, leases.all());
  }

  commit(commit: Commit): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#commits.push({ commit, resolve, reject });
      // During a sync, this commit must wait for the next sync anyway. Until then, other commits join its transaction.
      if (commit.synced === true && this.#log.isSyncing) this.#log.waitForSync().catch(() => undefined);
      else this.#flushSoon();
    });
  }

  load({ kind, id }: ActorKey): Promise<StoredActor | undefined> {
    return settle(() => {
      const name = actorName({ kind, id });
      const known = this.#loaded.get(name);
      if (known !== undefined) return known;
      const record = this.#records.findLarge({ kind, id });
      if (record !== undefined) return this.#withState({ kind, id }, record);
      const row = this.#statements.load.get({ kind, id });
      if (row === undefined) return undefined;
      const { record: body, parts } = row;
      const actor = actorOf(
        row,
        body === null ? undefined : this.#records.joinParts({ kind, id }, { body, parts: parts ?? '' }),
      );
      this.#loaded.set(name, actor, { size: row.snapshot.length + (body?.length ?? 0) + 1 });
      return actor;
    });
  }

  #withState(actor: ActorKey, record: unknown): StoredActor | undefined {
    const row = this.#statements.loadState.get(actor);
    return row === undefined ? undefined : actorOf(row, record);
  }

  rows({ kind, id }: ActorKey, { prefix, after, limit }: RowOptions): Promise<readonly Row[]> {
    // The key that equals the prefix is the first one with this prefix.
    const known =
      limit === 1 && after === undefined ? this.#recent.get(actorName({ kind, id }), prefix) : undefined;
    if (known !== undefined) return settle(() => [{ key: prefix, body: JSON.parse(known) as unknown }]);
    // A single lower bound makes each page equally fast, wherever it is.
    const { rowsFrom, rowsAfter } = this.#statements;
    const within = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const statement = within ? rowsAfter : rowsFrom;
    return settle(() =>
      statement
        .all({ kind, id, from: within ? after : prefix, to: prefixEnd(prefix), limit })
        .map(({ key, body }) => ({ key, body: JSON.parse(body) as unknown })),
    );
  }

  list(index: string, { after, limit, descending }: ListOptions): Promise<readonly IndexEntry[]> {
    const statement = descending === true ? this.#statements.listDown : this.#statements.listUp;
    const edge = descending === true ? Infinity : -Infinity;
    return settle(() =>
      statement.all({ name: index, score: after?.score ?? edge, id: after?.id ?? '', limit }),
    );
  }

  count(index: string): Promise<number> {
    return settle(() => this.#statements.count.get(index)!.n);
  }

  outbox(destination: string, { after, limit }: OutboxOptions): Promise<readonly OutboxEntry[]> {
    const from = { destination, due: after?.due ?? -Infinity, id: after?.id ?? '', limit };
    return settle(() =>
      this.#statements.outbox.all(from).map(({ id, due, kind, actor, body }) => ({
        id,
        destination,
        due,
        actor: { kind, id: actor },
        body: JSON.parse(body) as unknown,
      })),
    );
  }

  destinations({
    after,
    limit,
  }: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    return settle(() =>
      this.#statements.destinations.all({ after: after ?? '', limit }).map(({ destination }) => destination),
    );
  }

  counters(prefix: string): Promise<ReadonlyMap<string, number>> {
    const range = { from: prefix, to: prefixEnd(prefix) };
    return settle(
      () => new Map(this.#statements.counters.all(range).map(({ name, value }) => [name, value])),
    );
  }

  next(sequence: string, n = 1): Promise<number> {
    // Earlier callers get their numbers first.
    const known = this.#reservations.length === 0 ? this.#sequences.findReserved({ sequence, n }) : undefined;
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.#reservations.push({ sequence, n, resolve, reject });
      this.#flushSoon();
    });
  }

  async quarantine(actor: ActorKey, reason: string, options: QuarantineOptions = {}): Promise<boolean> {
    this.#loaded.delete(actorName(actor));
    const moved = await settle(() => this.#writer.quarantine(actor, reason, options));
    if (moved) this.work.apply(actor, { clear: true });
    return moved;
  }

  check(): Promise<void> {
    return settle(() => void this.#statements.count.get(''));
  }

  /** Copies all commits to a new file, page by page, while new commits are written. */
  async backup(file: string): Promise<void> {
    await this.#database.backup(file);
  }

  async close(): Promise<void> {
    this.#flush();
    this.#sequences.end();
    await this.#log.close();
    this.#database.close();
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const [commits, reservations] = [this.#commits, this.#reservations];
    [this.#commits, this.#reservations] = [[], []];
    if (commits.length + reservations.length === 0) return;
    let written: Written;
    try {
      for (const { commit } of commits) this.#loaded.delete(actorName(commit.actor));
      written = this.#writer.write(
        commits.map(({ commit }) => commit),
        reservations,
      );
    } catch (error) {
      for (const { reject } of [...commits, ...reservations]) reject(error);
      return;
    }
    reservations.forEach((reservation, i) => settleAs(reservation, written.numbers[i]!));
    const outcomes = commits.map((waiting, i) => ({ waiting, outcome: written.versions[i]! }));
    const [synced, plain] = [outcomes.filter(isSynced), outcomes.filter((one) => !isSynced(one))];
    this.#acknowledge(plain);
    if (synced.length > 0)
      this.#log.waitForSync().then(
        () => this.#acknowledge(synced),
        (error: unknown) => synced.forEach(({ waiting }) => waiting.reject(error)),
      );
  }

  #acknowledge(outcomes: readonly Outcome[]): void {
    for (const { waiting, outcome } of outcomes) settleAs(waiting, outcome);
    // The callers of these commits continue after this turn. Their work is offered before that.
    for (const {
      waiting: { commit },
      outcome,
    } of outcomes)
      if (commit.work !== undefined && !(outcome instanceof Error))
        this.work.apply(commit.actor, commit.work);
  }
}

interface Outcome {
  readonly waiting: WaitingCommit;
  readonly outcome: number | Error;
}

/** A refused commit needs no sync. */
const isSynced = ({ waiting, outcome }: Outcome) =>
  waiting.commit.synced === true && !(outcome instanceof Error);

function settleAs({ resolve, reject }: Waiting, outcome: number | Error): void {
  if (outcome instanceof Error) reject(outcome);
  else resolve(outcome);
}

function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

const actorOf = (
  { version, commit_id: commit, server, epoch, schema, snapshot }: StateRow,
  record: unknown,
): StoredActor => ({
  ...{ version, commit, owner: { server, epoch } },
  snapshot: { schema, body: JSON.parse(snapshot) as unknown },
  record,
});
