/**
 * Locks for work that one server does for all of them, such as delivering to a receiver, asking an archive or cleaning up. A server holds
 * a lock for a time and can claim it again. If the holder dies, another server gets the lock, so the work may be done twice.
 */
import {
  commitAfter,
  VersionConflict,
  type ActorKey,
  type Owner,
  type Store,
  type StoredActor,
} from './store.ts';

export interface ClusterLocks {
  /** Returns true if this server holds the lock for the next `ms`, whether it held it before or not. */
  claim(name: string, ms: number): Promise<boolean>;
  /** Releases the lock if this server holds it. Other servers can then claim it. */
  release(name: string): Promise<void>;
}

/** The locks of a server that shares its store with no other server: each claim succeeds. */
export const LOCAL_LOCKS: ClusterLocks = {
  claim: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

const KIND = 'lock';
const SCHEMA = 1;

interface Held {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Which servers are alive. */
export interface Presence {
  /** True unless the server is known to be dead. Locks of a dead server can be claimed at once. */
  isThere(server: string): Promise<boolean>;
  /** A number that changes when other servers may have considered this server dead and claimed its locks; undefined while they may. */
  readonly stay: number | undefined;
}

const ALL_THERE: Presence = { isThere: () => Promise.resolve(true), stay: 0 };

/** The locks of servers that share a store: each held lock is a small actor. The clocks of their hosts must agree to the second. */
export class StoredLocks implements ClusterLocks {
  readonly #store: Store;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #presence: Presence;
  /** When locks of this server end, by name. 0 if another server may hold the lock now. */
  readonly #own = new Map<string, number>();
  #stay: number | undefined;

  constructor(store: Store, owner: Owner, now: () => number, presence: Presence = ALL_THERE) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
    this.#presence = presence;
  }

  async claim(name: string, ms: number): Promise<boolean> {
    const now = this.#now();
    this.#doubt();
    if ((this.#own.get(name) ?? 0) - now > ms / 2) return true;
    const stored = await this.#store.load(keyOf(name));
    if (stored !== undefined && (await this.#isOthers(stored, now))) return false;
    const until = now + ms;
    if (await this.#commit(name, stored, { until })) this.#own.set(name, until);
    // If the commit failed, this server itself may have got the lock with a concurrent claim.
    return (this.#own.get(name) ?? 0) > now;
  }

  /** Makes the next claims read the store if other servers may have claimed locks of this server. */
  #doubt(): void {
    const { stay } = this.#presence;
    if (stay === undefined || stay !== this.#stay)
      for (const name of this.#own.keys()) this.#own.set(name, 0);
    this.#stay = stay;
  }

  async release(name: string): Promise<void> {
    if (!this.#own.delete(name)) return;
    const stored = await this.#store.load(keyOf(name));
    if (stored !== undefined && this.#isOwn(stored)) await this.#commit(name, stored, null);
  }

  async #isOthers(stored: StoredActor, now: number): Promise<boolean> {
    return (
      !this.#isOwn(stored) && heldUntil(stored) > now && (await this.#presence.isThere(stored.owner.server))
    );
  }

  #isOwn({ owner }: StoredActor): boolean {
    return owner.server === this.#owner.server && owner.epoch === this.#owner.epoch;
  }

  /** Returns false if another server committed first. */
  async #commit(name: string, stored: StoredActor | undefined, held: Held | null): Promise<boolean> {
    try {
      await this.#store.commit({
        actor: keyOf(name),
        ...commitAfter(stored),
        owner: this.#owner,
        snapshot: held === null ? null : { schema: SCHEMA, body: held },
        ...(stored === undefined ? { record: { name } } : {}),
      });
      return true;
    } catch (error) {
      if (error instanceof VersionConflict) return false;
      throw error;
    }
  }
}

const keyOf = (name: string): ActorKey => ({ kind: KIND, id: name });

/** Returns 0 if the stored lock cannot be read, so that any server can claim it. */
function heldUntil({ snapshot }: StoredActor): number {
  const { until } = (snapshot.body ?? {}) as Partial<Held>;
  return typeof until === 'number' ? until : 0;
}

/** Number of renewals of a lock within its time, while its work runs. */
const RENEWALS = 3;

/** Runs `work` while it holds the lock. Returns false if another server holds it. */
export async function withLock(
  locks: ClusterLocks,
  clock: { after(ms: number, task: () => void): () => void },
  name: string,
  ms: number,
  work: () => Promise<void>,
): Promise<boolean> {
  if (!(await locks.claim(name, ms))) return false;
  let stop = () => {};
  const renewLater = () => {
    stop = clock.after(ms / RENEWALS, () => {
      void locks.claim(name, ms).catch(() => undefined);
      renewLater();
    });
  };
  renewLater();
  try {
    await work();
  } finally {
    stop();
    await locks.release(name).catch(() => undefined);
  }
  return true;
}
