/**
 * What any one server may do for all of them, and no two at a time: to deliver to a receiver, to ask an archive, to clear up. A duty is a
 * name; whoever claims it has it for a time, and again when it says so in time. When its holder is gone the next one gets it, so whatever
 * is done as a duty may be done twice.
 */
import {
  following,
  VersionConflict,
  type ActorKey,
  type Owner,
  type Store,
  type StoredActor,
} from './store.ts';

export interface Duties {
  /** True: from now on the duty is this server's for `ms`, whether it had it before or not. */
  claim(name: string, ms: number): Promise<boolean>;
  /** It is anybody's again, if it was this server's. */
  release(name: string): Promise<void>;
}

/** Of a server that works on its store alone: every duty is its own. */
export const ALL_DUTIES: Duties = {
  claim: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

const KIND = 'duty';
const SCHEMA = 1;

interface Held {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Who of the servers is there. */
export interface Presence {
  /** Whether another server still is; the duties of one that is gone are anybody's at once. */
  isThere(server: string): Promise<boolean>;
  /** Another number when others may have taken this server for dead, and its duties, since; undefined: perhaps they do just now. */
  readonly stay: number | undefined;
}

const ALL_THERE: Presence = { isThere: () => Promise.resolve(true), stay: 0 };

/** Of servers that share a store: a small actor for each duty that somebody has. The clocks of their hosts must agree to the second. */
export class StoredDuties implements Duties {
  readonly #store: Store;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #presence: Presence;
  /** Duties of this server, by name: until when; 0: perhaps another one has it by now. */
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
    // Whoever was quicker may be this server itself, in another claim of the same duty.
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
        ...following(stored),
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

/** Times in which a duty is claimed again while its work goes on. */
const RENEWALS = 3;

/** Does `work` as a duty, for as long as that takes. False: another server is at it. */
export async function asDuty(
  duties: Duties,
  clock: { after(ms: number, task: () => void): () => void },
  name: string,
  ms: number,
  work: () => Promise<void>,
): Promise<boolean> {
  if (!(await duties.claim(name, ms))) return false;
  let stop = () => {};
  const renewLater = () => {
    stop = clock.after(ms / RENEWALS, () => {
      void duties.claim(name, ms).catch(() => undefined);
      renewLater();
    });
  };
  renewLater();
  try {
    await work();
  } finally {
    stop();
    await duties.release(name).catch(() => undefined);
  }
  return true;
}
