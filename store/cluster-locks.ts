/**
 * Locks for what one server does for all of them: to deliver to a receiver, to ask an archive, to clear up. A lock has a name and a time,
 * for which its holder has it; the holder may claim it again. When the holder is gone the next one gets it, so the work may be done twice.
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
  /** True: from now on the lock is this server's for `ms`, whether it had it before or not. */
  claim(name: string, ms: number): Promise<boolean>;
  /** It is anybody's again, if it was this server's. */
  release(name: string): Promise<void>;
}

/** The locks of a server with a store of its own: it gets every lock. */
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

/** Who of the servers is there. */
export interface Presence {
  /** Whether another server still is; the locks of one that is gone are anybody's at once. */
  isThere(server: string): Promise<boolean>;
  /** Another number when others may have taken this server for dead, and its locks, since; undefined: perhaps they do just now. */
  readonly stay: number | undefined;
}

const ALL_THERE: Presence = { isThere: () => Promise.resolve(true), stay: 0 };

/** The locks of servers that share a store: each held lock is a small actor. The clocks of their hosts must agree to the second. */
export class StoredLocks implements ClusterLocks {
  readonly #store: Store;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #presence: Presence;
  /** ClusterLocks of this server, by name: until when; 0: perhaps another one has it by now. */
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
    // Whoever was quicker may be this server itself, in another claim of the same lock.
    return (this.#own.get(name) ?? 0) > now;
  }

  /** What others may have taken has to be asked for in the store. */
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

  /** False: another one was quicker. */
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

/** What cannot be read nobody has. */
function heldUntil({ snapshot }: StoredActor): number {
  const { until } = (snapshot.body ?? {}) as Partial<Held>;
  return typeof until === 'number' ? until : 0;
}

/** Times in which a lock is claimed again while its work goes on. */
const RENEWALS = 3;

/** Runs `work` while it holds the lock. False: another server holds it. */
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
