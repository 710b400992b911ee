import { LRUCache } from 'lru-cache';
import { actorName, type ActorKey } from '../actor-key.ts';
import { damagedPart, type SharedParts } from '../shared-parts.ts';
import {
  StoreDamaged,
  type Committed,
  type Row,
  type RowOptions,
  type Since,
  type StoredActor,
} from '../store.ts';
import type { Argument } from './scripts.ts';

/** Most characters of cached actors. A larger actor is read from Redis each time. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_OF_ONE = KEPT_CHARACTERS / 64;

/** Fields of an actor as the script returns them. */
type LoadedFields = readonly [
  ...[version: string, server: string, epoch: string, schema: string, body: string],
  ...[record: string | null, parts: string | null],
];

/** Changes of an actor as the script returns them. */
type ChangedFields = readonly [
  ...[version: number, commit: string, schema: string, body: string],
  ...[keys: readonly string[], bodies: readonly string[]],
];

export type ReadVerb = 'store/load' | 'store/since' | 'store/parts' | 'store/rows';

/** Reads and caches actors. For a cached actor, Redis only confirms that it has not changed. */
export class ActorReader {
  readonly #read: (verb: ReadVerb, words: readonly Argument[]) => Promise<readonly unknown[]>;
  readonly #parts: SharedParts;
  readonly #loaded = new LRUCache<string, StoredActor>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: KEPT_OF_ONE,
  });

  constructor(
    read: (verb: ReadVerb, words: readonly Argument[]) => Promise<readonly unknown[]>,
    parts: SharedParts,
  ) {
    this.#read = read;
    this.#parts = parts;
  }

  /** Removes an actor that is about to change from the cache. */
  forget(name: string): void {
    this.#loaded.delete(name);
  }

  async load(actor: ActorKey): Promise<StoredActor | undefined> {
    const name = actorName(actor);
    for (let before: string | undefined; ;) {
      const known = this.#loaded.get(name);
      const answer = await this.#read('store/load', [name, known?.commit ?? '']);
      const [commit, fields] = answer as readonly [string, LoadedFields?];
      if (commit === '') return undefined;
      if (fields === undefined) return known!;
      const found = await this.#loadedAs(commit, fields);
      if (found !== undefined) {
        this.#loaded.set(name, found, { size: fields[4].length + (fields[5]?.length ?? 0) + 1 });
        return found;
      }
      if (commit === before) throw new StoreDamaged(damagedPart(name));
      before = commit;
    }
  }

  /** Returns undefined if a part of the record is missing, probably because the actor was deleted meanwhile. */
  async #loadedAs(commit: string, fields: LoadedFields): Promise<StoredActor | undefined> {
    const [version, server, epoch, schema, body, text, parts] = fields;
    const wanted = this.#parts.wantedOf(parts ?? '');
    const { missing } = wanted;
    const texts = missing.length === 0 ? [] : await this.#read('store/parts', missing);
    const record =
      text === null ? undefined : this.#parts.join(text, wanted, texts as readonly (string | null)[]);
    if (text !== null && record === undefined) return undefined;
    return {
      version: Number(version),
      commit,
      owner: { server, epoch: Number(epoch) },
      snapshot: { schema: Number(schema), body: JSON.parse(body) as unknown },
      record,
    };
  }

  async since(actor: ActorKey, seen: Committed): Promise<Since> {
    const answer = await this.#read('store/since', [actorName(actor), seen.version, seen.commit]);
    const [what, ...changed] = answer as
      | readonly ['nothing' | 'unknown']
      | readonly ['changed', ...ChangedFields];
    if (what !== 'changed') return what;
    const [version, commit, schema, body, keys, bodies] = changed as ChangedFields;
    return {
      ...{ version, commit, snapshot: { schema: Number(schema), body: JSON.parse(body) as unknown } },
      rows: rowsOf(keys, bodies),
    };
  }

  async rows(actor: ActorKey, { prefix, after = '', limit }: RowOptions): Promise<readonly Row[]> {
    const answer = await this.#read('store/rows', [actorName(actor), prefix, after, limit]);
    const [keys, bodies] = answer as [readonly string[], readonly string[]];
    return rowsOf(keys, bodies);
  }
}

const rowsOf = (keys: readonly string[], bodies: readonly string[]): readonly Row[] =>
  keys.map((key, i) => ({ key, body: JSON.parse(bodies[i]!) as unknown }));
