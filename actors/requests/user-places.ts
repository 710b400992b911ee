import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { scopesOf } from '../../domain/users/owner.ts';
import {
  commitAfter,
  VersionConflict,
  type Owner as Writer,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';

const KIND = 'user-places';
const SCHEMA = 1;
/** Time after which a reserved place counts as left by a dead server. */
const HELD_MS = 60_000;

const places = z.object({ held: z.array(z.object({ id: z.string(), until: z.number() })) });
type Held = z.infer<typeof places>['held'];

/**
 * Places for new jobs of a user. A request reserves a place until its job is in the index of live jobs of the user. So two requests never
 * use the last place, on any server.
 */
export class UserPlaces {
  readonly #store: Store;
  readonly #writer: Writer;
  readonly #clock: Clock;
  /** The last change for each user on this server. Changes of a user run one after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(store: Store, writer: Writer, clock: Clock) {
    this.#store = store;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** @param index of live jobs; returns 'FULL' without doing the work if the user has `most` of them */
  async within<T>(user: string, index: string, most: number, work: () => Promise<T>): Promise<T | 'FULL'> {
    const actor = createHash('sha256').update(`${index}/${user}`).digest('hex');
    const place = { id: randomUUID(), until: this.#clock.now() + HELD_MS };
    const live = `${scopesOf({ user })[0]}${index}`;
    const taken = await this.#change(actor, async (held) =>
      (await this.#store.count(live)) + held.length < most ? [...held, place] : undefined,
    );
    if (!taken) return 'FULL';
    try {
      return await work();
    } finally {
      // A place that cannot be released now expires.
      await this.#change(actor, (held) => held.filter(({ id }) => id !== place.id)).catch(() => undefined);
    }
  }

  #change(actor: string, change: (held: Held) => Promise<Held | undefined> | Held): Promise<boolean> {
    const before = this.#changes.get(actor) ?? Promise.resolve();
    const changed = before.then(
      () => this.#changeNow(actor, change),
      () => this.#changeNow(actor, change),
    );
    this.#changes.set(actor, changed);
    const forget = () => {
      if (this.#changes.get(actor) === changed) this.#changes.delete(actor);
    };
    changed.then(forget, forget);
    return changed;
  }

  /** Returns false if `change` changes nothing. */
  async #changeNow(
    actor: string,
    change: (held: Held) => Promise<Held | undefined> | Held,
  ): Promise<boolean> {
    for (;;) {
      const stored = await this.#store.load({ kind: KIND, id: actor });
      const now = this.#clock.now();
      const held = await change(heldIn(stored).filter(({ until }) => until > now));
      if (held === undefined) return false;
      if (await this.#isWritten(actor, stored, held)) return true;
    }
  }

  /** Returns false if another server was faster. */
  async #isWritten(actor: string, stored: StoredActor | undefined, held: Held): Promise<boolean> {
    if (stored === undefined && held.length === 0) return true;
    try {
      await this.#store.commit({
        actor: { kind: KIND, id: actor },
        ...commitAfter(stored),
        owner: this.#writer,
        snapshot: held.length === 0 ? null : { schema: SCHEMA, body: { held } },
        ...(stored === undefined ? { record: {} } : {}),
      });
      return true;
    } catch (error) {
      if (error instanceof VersionConflict) return false;
      throw error;
    }
  }
}

const heldIn = (stored: StoredActor | undefined): Held =>
  stored === undefined ? [] : (places.safeParse(stored.snapshot.body).data?.held ?? []);
