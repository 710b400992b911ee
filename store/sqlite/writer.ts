import Database from 'better-sqlite3';
import { actorName } from '../actor-key.ts';
import type { MemoryLedger } from '../memory-ledger.ts';
import {
  newCommitId,
  NotStorable,
  VersionConflict,
  type ActorKey,
  type Commit,
  type QuarantineOptions,
} from '../store.ts';
import type { RecentRows } from './recent-rows.ts';
import type { Records } from './records.ts';
import type { Reservation, Sequences } from './sequences.ts';
import { prefixEnd, type Statements } from './statements.ts';

/** SQLite errors that the content of a commit causes. All other errors concern the file. */
const CONTENT_AT_FAULT = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/;

/** The version of each commit and the first number of each reservation, or why it was not written. */
export interface Written {
  readonly versions: readonly (number | Error)[];
  readonly numbers: readonly (number | Error)[];
}

type Attempt = (work: () => number) => number | Error;

interface WriterDeps {
  readonly work: Pick<MemoryLedger, 'isKept'>;
  readonly sequences: Sequences;
  readonly recent: RecentRows;
  readonly records: Records;
}

/** Writes commits and reservations, many in one transaction. */
export class Writer {
  readonly #database: Database.Database;
  readonly #statements: Statements;
  readonly #work: Pick<MemoryLedger, 'isKept'>;
  readonly #sequences: Sequences;
  readonly #recent: RecentRows;
  readonly #records: Records;
  /** Runs a step in a savepoint of the open transaction. */
  readonly #undoable: (work: () => number) => number;

  constructor(
    database: Database.Database,
    statements: Statements,
    { work, sequences, recent, records }: WriterDeps,
  ) {
    this.#database = database;
    this.#statements = statements;
    this.#work = work;
    this.#sequences = sequences;
    this.#recent = recent;
    this.#records = records;
    this.#undoable = database.transaction((step: () => number) => step());
  }

  /**
   * Writes commits and reservations in one transaction. A commit that is refused or cannot be written does not affect the others. If one
   * cannot be written, which is rare, all are written again with a savepoint for each. @throws Error if the file itself fails
   */
  write(commits: readonly Commit[], reservations: readonly Reservation[]): Written {
    try {
      return this.#transaction(commits, reservations, refusable);
    } catch (error) {
      if (!isOfContent(error)) throw error;
      return this.#transaction(commits, reservations, (work) => this.#rollBack(work));
    }
  }

  #transaction(commits: readonly Commit[], reservations: readonly Reservation[], attempt: Attempt): Written {
    const write = this.#database.transaction(() => {
      const numbers = reservations.map((reservation) => attempt(() => this.#sequences.reserve(reservation)));
      const versions = commits.map((commit) => attempt(() => this.#commit(commit)));
      this.#records.settleParts();
      return { numbers, versions };
    });
    try {
      return write();
    } catch (error) {
      this.#sequences.forget();
      this.#recent.clear();
      this.#records.forget();
      throw error;
    }
  }

  #rollBack(work: () => number): number | Error {
    try {
      return this.#undoable(() => {
        const outcome = work();
        this.#records.settleParts();
        return outcome;
      });
    } catch (error) {
      this.#recent.clear();
      this.#records.forget();
      if (!isOfContent(error) || !this.#database.inTransaction) throw error;
      return error instanceof VersionConflict
        ? error
        : new NotStorable(`The commit cannot be written: ${String(error)}`, { cause: error });
    }
  }

  /** Writes a commit. It detects a conflict before it writes anything. */
  #commit(commit: Commit): number {
    const { kind, id } = commit.actor;
    const statements = this.#statements;
    const version = this.#writeActor(commit);
    this.#count(commit.counters);
    if (commit.snapshot === null) return 0;
    this.#records.put(commit);
    this.#writeRows(commit);
    for (const [name, score] of Object.entries(commit.index ?? {}))
      if (score === null) statements.removeEntry.run(name, kind, id);
      else statements.putEntry.run(name, score, kind, id);
    this.#writeNotices(commit);
    for (const item of commit.work?.settle ?? []) if (this.#work.isKept(item)) statements.dropLease.run(item);
    return version;
  }

  #writeRows({ actor: { kind, id }, removeRows = [], putRows = [] }: Commit): void {
    const { removeRows: remove, putRow } = this.#statements;
    const actor = actorName({ kind, id });
    if (removeRows.length > 0) this.#recent.forget(actor);
    for (const prefix of removeRows) remove.run(kind, id, prefix, prefixEnd(prefix));
    for (const { key, body } of putRows) {
      const text = JSON.stringify(body);
      putRow.run(kind, id, key, text);
      this.#recent.put(actor, key, text);
    }
  }

  #writeNotices({ actor: { kind, id }, outbox }: Commit): void {
    if (outbox === undefined) return;
    const { removeNotice, putNotice } = this.#statements;
    for (const notice of outbox.remove ?? []) removeNotice.run({ notice, kind, id });
    for (const { id: notice, destination, due, body } of outbox.put ?? [])
      putNotice.run({ notice, destination, due, kind, id, body: JSON.stringify(body) });
  }

  /** Moves an actor with all its data to quarantine. Returns false if the actor has changed since it was seen. */
  quarantine(actor: ActorKey, reason: string, { seen, counters }: QuarantineOptions): boolean {
    const of = { kind: actor.kind, id: actor.id };
    const { version = null, commit = null } = seen ?? {};
    const move = this.#database.transaction(() => {
      const about = { reason, at: new Date().toISOString(), record: this.#records.wholeText(actor) };
      if (this.#statements.quarantine.run({ ...of, ...about, version, commit }).changes === 0) return false;
      this.#count(counters);
      this.#remove(actor);
      this.#records.settleParts();
      return true;
    });
    try {
      return move();
    } catch (error) {
      this.#records.forget();
      throw error;
    }
  }

  #remove({ kind, id }: ActorKey): void {
    for (const rest of this.#statements.remove) rest.run({ kind, id });
    this.#records.remove({ kind, id });
    this.#recent.forget(actorName({ kind, id }));
  }

  /** Adds to counters. A counter that reaches 0 is deleted. */
  #count(counters: Commit['counters'] = {}): void {
    for (const [name, by] of Object.entries(counters))
      if (this.#statements.addToCounter.get(name, by)!.value === 0) this.#statements.dropCounter.run(name);
  }

  /** Creates or replaces the actor. Without a snapshot, deletes it with all its data. */
  #writeActor({ actor: key, expected, after, id, owner, snapshot }: Commit): number {
    const { server, epoch } = owner;
    const of = [key.kind, key.id];
    const { insert, update, removeActor } = this.#statements;
    if (snapshot === null) {
      if (removeActor.run(...of, expected, after ?? null).changes === 0)
        throw new VersionConflict(key, expected);
      this.#remove(key);
      return 0;
    }
    const version = expected + 1;
    const content = [version, server, epoch, snapshot.schema, JSON.stringify(snapshot.body)];
    const commit = id ?? newCommitId();
    const { changes } =
      expected === 0 && after === undefined
        ? insert.run(...of, ...content, commit)
        : update.run(...content, commit, ...of, expected, after ?? null);
    if (changes === 0) throw new VersionConflict(key, expected);
    return version;
  }
}

function refusable(work: () => number): number | Error {
  try {
    return work();
  } catch (error) {
    if (error instanceof VersionConflict) return error;
    throw error;
  }
}

/** False if the file itself failed (a full disk, for example), which is no fault of the commits in the transaction. */
const isOfContent = (error: unknown): boolean =>
  !(error instanceof Database.SqliteError) || CONTENT_AT_FAULT.test(error.code);
