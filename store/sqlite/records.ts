import { LRUCache } from 'lru-cache';
import { actorName, type ActorKey } from '../actor-key.ts';
import { damagedPart, listOf, partsIn, SharedParts } from '../shared-parts.ts';
import { StoreDamaged, type Commit } from '../store.ts';
import type { RecordRow, Statements } from './statements.ts';

/** Characters from which a record is large, so that parsing it takes milliseconds. */
const LARGE = 64 * 1024;
/** Maximum number of large records that are found again. */
const MOST_LARGE = 1_000;

interface Change {
  /** Change of the number of records that have the part. */
  by: number;
  /** Text of the part; '' if no record that is being written has it. */
  text: string;
}

/**
 * Records of actors. Parts that several of them share are stored once in the table of parts, with the number of records that have them.
 * This number is written once for all commits of a transaction.
 */
export class Records {
  readonly #statements: Statements;
  readonly #shared = new SharedParts({ isChecked: false });
  /** Changes of the open transaction, by hash. */
  readonly #changes = new Map<string, Change>();

  /** Large records by actor, until the garbage collector needs their memory. Most commits only change the snapshot. */
  readonly #large = new LRUCache<string, WeakRef<object>>({ max: MOST_LARGE });

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** @throws NotStorable */
  put({ actor: { kind, id }, expected, record, common = [] }: Commit): void {
    if (record === undefined) return;
    this.#large.delete(actorName({ kind, id }));
    const { text, parts } = this.#shared.split(record, common);
    if (expected > 0) this.#leave(this.#statements.recordOf.get(kind, id)?.parts);
    this.#statements.putRecord.run(kind, id, text, listOf(parts));
    for (const [, part] of parts) this.#count(part.hash, 1, part.text);
  }

  remove({ kind, id }: ActorKey): void {
    this.#large.delete(actorName({ kind, id }));
    this.#leave(this.#statements.removeRecord.get(kind, id)?.parts);
  }

  /** Writes the changes of the parts. Must run before the end of each transaction. */
  settleParts(): void {
    const { useParts, leaveParts, dropPart } = this.#statements;
    for (const [hash, { by, text }] of this.#changes)
      if (by > 0) useParts.run(hash, by, text);
      else if (by < 0 && (leaveParts.get(by, hash)?.users ?? 0) <= 0) dropPart.run(hash);
    this.#changes.clear();
  }

  /** Discards the changes of a transaction that was rolled back. */
  forget(): void {
    this.#changes.clear();
  }

  /** Returns a large record that was joined before and has not changed. */
  findLarge(actor: ActorKey): object | undefined {
    return this.#large.get(actorName(actor))?.deref();
  }

  /** @throws StoreDamaged if a part is missing */
  joinParts({ kind, id }: ActorKey, { body, parts }: RecordRow): unknown {
    const wanted = this.#shared.wantedOf(parts);
    const texts = wanted.missing.map((hash) => this.#text(hash));
    const record = this.#shared.join(body, wanted, texts);
    if (record === undefined) throw new StoreDamaged(damagedPart(`${kind}/${id}`));
    if (body.length >= LARGE) this.#large.set(actorName({ kind, id }), new WeakRef(record as object));
    return record;
  }

  /** Returns the text of a whole record as it was given. If the record cannot be joined, returns its own text and its parts. */
  wholeText(actor: ActorKey): string | null {
    const row = this.#statements.recordOf.get(actor.kind, actor.id);
    if (row === undefined) return null;
    if (row.parts === '') return row.body;
    try {
      return JSON.stringify(this.joinParts(actor, row));
    } catch {
      const parts = partsIn(row.parts).map(([name, hash]) => [name, this.#text(hash)]);
      return JSON.stringify({ own: row.body, parts: Object.fromEntries(parts) as object });
    }
  }

  #text(hash: string): string | null {
    return this.#statements.part.get(hash)?.body ?? null;
  }

  #leave(listed = ''): void {
    for (const [, hash] of partsIn(listed)) this.#count(hash, -1, '');
  }

  #count(hash: string, by: number, text: string): void {
    const change = this.#changes.get(hash);
    if (change === undefined) {
      this.#changes.set(hash, { by, text });
      return;
    }
    change.by += by;
    if (text !== '') change.text = text;
  }
}
