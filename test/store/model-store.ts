import { MemoryLedger } from '../../store/memory-ledger.ts';
import {
  isStill,
  newCommitId,
  VersionConflict,
  type ActorKey,
  type Commit,
  type IndexEntry,
  type ListOptions,
  type Notice,
  type OutboxEntry,
  type OutboxOptions,
  type Row,
  type QuarantineOptions,
  type RowOptions,
  type Since,
  type Store,
  type StoredActor,
} from '../../store/store.ts';

interface Kept {
  stored: StoredActor;
  readonly rows: Map<string, unknown>;
  readonly index: Map<string, number>;
  readonly notices: Map<string, Notice>;
  /** The keys written by the latest commits, without gaps. */
  readonly trail: readonly { readonly after: string; readonly keys: readonly string[] }[];
}

/** Number of commits whose changes are reported. */
const TRAIL = 4;

const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));
const nameOf = ({ kind, id }: ActorKey) => `${kind}/${id}`;
const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The contract of a store with plain maps: the model for every backend. */
export class ModelStore implements Store {
  readonly shared = false;
  readonly work = new MemoryLedger();
  readonly #actors = new Map<string, Kept>();
  readonly #sequences = new Map<string, number>();
  readonly #counters = new Map<string, number>();

  async commit({
    actor,
    expected,
    after: follows,
    id = newCommitId(),
    owner,
    snapshot,
    record,
    putRows,
    removeRows,
    index,
    outbox,
    counters,
  }: Commit): Promise<number> {
    const kept = this.#actors.get(nameOf(actor));
    if ((kept?.stored.version ?? 0) !== expected) throw new VersionConflict(actor, expected);
    if (follows !== undefined && kept?.stored.commit !== follows) throw new VersionConflict(actor, expected);
    if (snapshot === null && kept === undefined) throw new VersionConflict(actor, expected);
    this.#count(counters);
    if (snapshot === null) {
      this.#actors.delete(nameOf(actor));
      return 0;
    }
    const after: Kept = {
      stored: copy({
        version: expected + 1,
        commit: id,
        owner,
        snapshot,
        record: record === undefined ? kept?.stored.record : record,
      }),
      rows: new Map(kept?.rows),
      index: new Map(kept?.index),
      notices: new Map(kept?.notices),
      trail:
        kept === undefined || record !== undefined || (removeRows ?? []).length > 0
          ? []
          : [
              ...kept.trail.slice(1 - TRAIL),
              { after: kept.stored.commit, keys: (putRows ?? []).map(({ key }) => key) },
            ],
    };
    for (const prefix of removeRows ?? [])
      for (const key of after.rows.keys()) if (key.startsWith(prefix)) after.rows.delete(key);
    for (const { key, body } of putRows ?? []) after.rows.set(key, copy(body));
    for (const [name, score] of Object.entries(index ?? {}))
      if (score === null) after.index.delete(name);
      else after.index.set(name, score);
    for (const id of outbox?.remove ?? []) after.notices.delete(id);
    for (const notice of outbox?.put ?? [])
      if (!this.#isOwedBySomebodyElse(actor, notice.id)) after.notices.set(notice.id, copy(notice));
    this.#actors.set(nameOf(actor), after);
    return after.stored.version;
  }

  async load(actor: ActorKey): Promise<StoredActor | undefined> {
    const stored = this.#actors.get(nameOf(actor))?.stored;
    return stored === undefined ? undefined : { ...stored, record: stored.record };
  }

  async since(actor: ActorKey, seen: Pick<StoredActor, 'version' | 'commit'>): Promise<Since> {
    const kept = this.#actors.get(nameOf(actor));
    if (isStill(seen, kept?.stored)) return 'nothing';
    const from = kept?.trail.findIndex(({ after }) => after === seen.commit) ?? -1;
    if (kept === undefined || from === -1) return 'unknown';
    const { version, commit, snapshot } = kept.stored;
    const keys = new Set(kept.trail.slice(from).flatMap((entry) => entry.keys));
    return copy({
      ...{ version, commit, snapshot },
      rows: [...keys].map((key) => ({ key, body: kept.rows.get(key) })),
    });
  }

  async rows(actor: ActorKey, { prefix, after, limit }: RowOptions): Promise<readonly Row[]> {
    return [...(this.#actors.get(nameOf(actor))?.rows ?? [])]
      .map(([key, body]) => ({ key, body }))
      .filter(({ key }) => key.startsWith(prefix) && (after === undefined || bytes(key, after) > 0))
      .toSorted((a, b) => bytes(a.key, b.key))
      .slice(0, limit);
  }

  async list(index: string, { after, limit, descending }: ListOptions): Promise<readonly IndexEntry[]> {
    const direction = descending === true ? -1 : 1;
    const order = (a: IndexEntry, b: IndexEntry) => direction * (a.score - b.score || bytes(a.id, b.id));
    return this.#entries(index)
      .filter((entry) => after === undefined || order(entry, after) > 0)
      .toSorted(order)
      .slice(0, limit);
  }

  async count(index: string): Promise<number> {
    return this.#entries(index).length;
  }

  async outbox(destination: string, { after, limit }: OutboxOptions): Promise<readonly OutboxEntry[]> {
    const order = (a: Pick<OutboxEntry, 'id' | 'due'>, b: Pick<OutboxEntry, 'id' | 'due'>) =>
      a.due - b.due || bytes(a.id, b.id);
    return this.#notices()
      .filter(
        (entry) => entry.destination === destination && (after === undefined || order(entry, after) > 0),
      )
      .toSorted(order)
      .slice(0, limit);
  }

  async destinations({ after = '', limit }: { after?: string; limit: number }): Promise<readonly string[]> {
    return [...new Set(this.#notices().map(({ destination }) => destination))]
      .filter((name) => bytes(name, after) > 0)
      .toSorted(bytes)
      .slice(0, limit);
  }

  async counters(prefix: string): Promise<ReadonlyMap<string, number>> {
    return new Map(
      [...this.#counters].filter(([name]) => name.startsWith(prefix)).toSorted((a, b) => bytes(a[0], b[0])),
    );
  }

  async next(sequence: string, n = 1): Promise<number> {
    const last = this.#sequences.get(sequence) ?? 0;
    this.#sequences.set(sequence, last + n);
    return last + 1;
  }

  async quarantine(actor: ActorKey, _: string, { seen, counters }: QuarantineOptions = {}): Promise<boolean> {
    const stored = this.#actors.get(nameOf(actor))?.stored;
    if (stored === undefined || (seen !== undefined && !isStill(seen, stored))) return false;
    this.#actors.delete(nameOf(actor));
    this.#count(counters);
    return true;
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}

  #count(counters: Commit['counters'] = {}): void {
    for (const [name, by] of Object.entries(counters)) {
      const value = (this.#counters.get(name) ?? 0) + by;
      if (value === 0) this.#counters.delete(name);
      else this.#counters.set(name, value);
    }
  }

  #isOwedBySomebodyElse(actor: ActorKey, id: string): boolean {
    return this.#notices().some((entry) => entry.id === id && nameOf(entry.actor) !== nameOf(actor));
  }

  #notices(): OutboxEntry[] {
    return [...this.#actors].flatMap(([name, { notices }]) => {
      const [kind = '', id = ''] = name.split('/');
      return [...notices.values()].map((notice) => ({ ...notice, actor: { kind, id } }));
    });
  }

  #entries(index: string): IndexEntry[] {
    return [...this.#actors].flatMap(([name, { index: scores }]) => {
      const score = scores.get(index);
      return score === undefined ? [] : [{ id: name.slice(name.indexOf('/') + 1), score }];
    });
  }
}
