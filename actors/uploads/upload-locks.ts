/**
 * Locks of uploads that a job is about to use or a server is about to delete. All servers of a store share them: one actor for each upload.
 */
import { z } from 'zod';
import { commitAfter, VersionConflict, type Owner, type Store } from '../../store/store.ts';
import { delay, type Clock } from '../basics/clock.ts';

const UPLOAD = 'upload';
const SCHEMA = 1;
/** Time after which the locks of a dead server expire. No request takes longer. */
const HELD_MS = 600_000;
const REMOVAL_MS = 60_000;
const LOOK_MS = 50;

const bodySchema = z.object({
  /** By server: time until which its requests use the upload. All times here are milliseconds since the epoch. */
  users: z.record(z.string(), z.number()),
  /** Time until which a server is deleting the upload. */
  removal: z.number().nullable(),
});
type Body = z.infer<typeof bodySchema>;

export interface UploadLocksDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly owner: Owner;
}

export class UploadLocks {
  readonly #deps: UploadLocksDeps;
  /** Requests of this server by upload, and the stored time until which they hold it. */
  readonly #requests = new Map<string, { count: number; until: number }>();
  /** Deletions of this server by upload, with the stored time until which they hold it. */
  readonly #removals = new Map<string, number>();
  /** Running changes by upload. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(deps: UploadLocksDeps) {
    this.#deps = deps;
  }

  /** No server deletes the upload from now on. If a deletion is under way, this waits for its end. */
  hold(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const known = this.#requests.get(id) ?? { count: 0, until: 0 };
      const now = this.#deps.clock.now();
      const until = known.until > now + HELD_MS / 2 ? known.until : now + HELD_MS;
      if (until !== known.until) await this.#untilHeld(id, until);
      this.#requests.set(id, { count: known.count + 1, until });
    });
  }

  release(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const known = this.#requests.get(id);
      if (known === undefined) return;
      this.#requests.set(id, { ...known, count: known.count - 1 });
      if (known.count > 1) return;
      this.#requests.delete(id);
      const { server } = this.#deps.owner;
      await this.#change(id, ({ users: { [server]: _, ...users }, removal }) => ({ users, removal }));
    });
  }

  /** Locks the upload for its deletion. Returns false if a request of some server may need it. */
  async beginRemoval(id: string): Promise<boolean> {
    const { clock } = this.#deps;
    let isFree = false;
    await this.#change(id, (body) => {
      const now = clock.now();
      isFree = Object.values(body.users).every((until) => until <= now);
      if (isFree) this.#removals.set(id, now + REMOVAL_MS);
      return isFree ? { users: {}, removal: now + REMOVAL_MS } : undefined;
    });
    return isFree;
  }

  /** Extends the lock just before the deletion. Returns false if the lock has expired, because a request may have arrived since. */
  async renewRemoval(id: string): Promise<boolean> {
    let isKept = false;
    await this.#change(id, ({ users, removal }) => {
      const now = this.#deps.clock.now();
      isKept = removal !== null && removal === this.#removals.get(id) && removal > now;
      if (isKept) this.#removals.set(id, now + REMOVAL_MS);
      return isKept ? { users, removal: now + REMOVAL_MS } : undefined;
    });
    return isKept;
  }

  async endRemoval(id: string, isRemoved: boolean): Promise<void> {
    const own = this.#removals.get(id);
    this.#removals.delete(id);
    await this.#change(id, ({ users, removal }) => {
      if (isRemoved) return null;
      return removal === own ? { users, removal: null } : undefined;
    });
  }

  async #untilHeld(id: string, until: number): Promise<void> {
    const { clock, owner } = this.#deps;
    for (let isHeld = false; !isHeld;) {
      let wasGoing = false;
      await this.#change(id, ({ users, removal }) => {
        wasGoing = removal !== null && removal > clock.now();
        return wasGoing ? undefined : { users: { ...users, [owner.server]: until }, removal: null };
      });
      isHeld = !wasGoing;
      if (wasGoing) await delay(clock, LOOK_MS);
    }
  }

  /**
   * `next` returns the new state. Null: delete it. Undefined: no change. If another server commits first, `next` is called again with its
   * state.
   */
  async #change(id: string, next: (body: Body) => Body | null | undefined): Promise<void> {
    const { store, owner } = this.#deps;
    const actor = { kind: UPLOAD, id };
    for (;;) {
      const stored = await store.load(actor);
      const before = bodySchema.safeParse(stored?.snapshot.body).data ?? { users: {}, removal: null };
      const body = next(before);
      if (body === undefined || (body === null && stored === undefined)) return;
      const snapshot = body === null ? null : { schema: SCHEMA, body };
      const record = stored === undefined ? { record: { upload: id } } : {};
      try {
        await store.commit({ actor, ...commitAfter(stored), owner, snapshot, ...record });
        return;
      } catch (error) {
        if (!(error instanceof VersionConflict)) throw error;
      }
    }
  }

  async #inTurn(id: string, task: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const done = before.then(task);
    const settled = done.catch(() => undefined);
    this.#turns.set(id, settled);
    try {
      await done;
    } finally {
      if (this.#turns.get(id) === settled) this.#turns.delete(id);
    }
  }
}
