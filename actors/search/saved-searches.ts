import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { encodeName, NAMELESS, type Identity } from '../../domain/users/owner.ts';
import { commitAfter, VersionConflict, type Owner as Writer, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';

const savedSearch = z.object({
  name: z.string(),
  /** The query of GET /rest/search, by parameter. */
  query: z.record(z.string(), z.string()),
  owner: z.string(),
  /** Milliseconds since the epoch. */
  created: z.number(),
});
type Kept = z.infer<typeof savedSearch>;

export interface SavedSearch extends Omit<Kept, 'owner'> {
  readonly id: string;
}

const KIND = 'saved-search';
const SCHEMA = 1;
const MAX_OF_USER = 100;

/** Searches that users have saved. Each is a small actor, so servers that share a store share them. */
export class SavedSearches {
  readonly #store: Store;
  readonly #writer: Writer;
  readonly #clock: Clock;

  constructor(store: Store, writer: Writer, clock: Clock) {
    this.#store = store;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Returns FULL if the user has the maximum number. */
  async create(
    owner: Identity,
    { name, query }: Pick<Kept, 'name' | 'query'>,
  ): Promise<SavedSearch | 'FULL'> {
    const index = indexOf(owner);
    if ((await this.#store.count(index)) >= MAX_OF_USER) return 'FULL';
    const id = randomBytes(8).toString('hex');
    const created = this.#clock.now();
    const body: Kept = { name, query, owner: index, created };
    await this.#store.commit({
      actor: { kind: KIND, id },
      expected: 0,
      owner: this.#writer,
      record: {},
      snapshot: { schema: SCHEMA, body },
      index: { [index]: created },
      synced: true,
    });
    return { id, name, query, created };
  }

  /** Searches of a user, oldest first. */
  async list(owner: Identity): Promise<readonly SavedSearch[]> {
    const entries = await this.#store.list(indexOf(owner), { limit: MAX_OF_USER });
    const found = await Promise.all(entries.map(async ({ id }) => ({ id, stored: await this.#load(id) })));
    return found.flatMap(({ id, stored }) => {
      if (stored === undefined) return [];
      const { name, query, created } = stored.body;
      return [{ id, name, query, created }];
    });
  }

  /** Returns false if the user has no search with this id. */
  async remove(id: string, owner: Identity): Promise<boolean> {
    for (;;) {
      const stored = /^[0-9a-f]{16}$/.test(id) ? await this.#load(id) : undefined;
      if (stored === undefined || stored.body.owner !== indexOf(owner)) return false;
      try {
        const actor = { kind: KIND, id };
        await this.#store.commit({
          ...{ actor, ...commitAfter(stored), owner: this.#writer, snapshot: null, synced: true },
        });
        return true;
      } catch (error) {
        if (!(error instanceof VersionConflict)) throw error;
      }
    }
  }

  async #load(id: string) {
    const stored = await this.#store.load({ kind: KIND, id });
    if (stored === undefined || stored.snapshot.schema !== SCHEMA) return undefined;
    const body = savedSearch.safeParse(stored.snapshot.body).data;
    return body === undefined ? undefined : { version: stored.version, commit: stored.commit, body };
  }
}

/** Users without a subject are identified by client and name. */
const indexOf = ({ subject, client, name }: Identity): string =>
  `saved-searches-of-${encodeName(subject ?? client ?? name ?? NAMELESS)}`;
