import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  commitAfter,
  StoreDamaged,
  VersionConflict,
  type ActorKey,
  type Commit,
  type IndexEntry,
  type Owner,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';

/** Who has logged in, as the provider's claims said it then. */
const sessionUser = z.object({
  name: z.string(),
  subject: z.string().nullable(),
  group: z.string().optional(),
  roles: z.array(z.enum(['USER', 'ADMIN'])).readonly(),
});
export type SessionUser = Readonly<z.infer<typeof sessionUser>>;

export interface Session {
  /** What the store calls it. It opens nothing. */
  readonly key: string;
  readonly user: SessionUser;
  /** Milliseconds since the epoch: it ends then, whatever its user does. */
  readonly expires: number;
  /** It ends then unless its user does something before. */
  readonly idleUntil: number;
  /** The provider's statement who logged in, for the logout there; nothing else is kept of the provider's tokens. */
  readonly idToken: string | undefined;
  /** Absent: the browser keeps its secret. Else the one that follows it. */
  readonly nextSecret?: string;
}

/** A session as its user may see it. */
export interface ShownSession {
  readonly key: string;
  readonly user: SessionUser;
  /** The browser, in a few words; null: unknown. */
  readonly browser: string | null;
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly used: number;
  readonly ends: number;
}

export interface SessionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly settings: {
    readonly idleMs: number;
    readonly lifeMs: number;
    /** Age at which the secret of a browser is followed by another one. */
    readonly rotateMs: number;
    /** Time for which the former secret is accepted after its successor was used: for requests that were under way. */
    readonly graceMs: number;
    /** Of all users together. */
    readonly maxCount: number;
    readonly maxOfUser: number;
  };
  /**
   * Names the settings by which users were let in: a session that began under others has ended, for whoever changes the provider or
   * the claims that grant a role means everybody.
   */
  readonly realm: string;
  /** Is told of each session that this server ends. */
  onEnd(key: string): void;
  /** Is told of a session that ended because a former secret was used. */
  onTheft(session: Pick<Session, 'key' | 'user'>): void;
}

export const SESSIONS = 'sessions';
const KIND = 'session';
const SCHEMA = 1;
const SECRET_BYTES = 32;
const KEY_BYTES = 16;
const KEY = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/;
/** The key of the session and a secret. Without the key, it is of a session whose key is the hash of the secret. */
const SECRET = /^(?:([0-9a-f]{32}|[0-9a-f]{64})\.)?([\w-]{43})$/;
/** Of one user, or of all. */
const MAX_LISTED = 1_000;
/** A longer one would make the store large; the provider is then asked to log out without it. */
const MAX_ID_TOKEN_CHARACTERS = 16_384;
/** The last use is written down at most this often. */
const USE_NOTED_MS = 60_000;
const REMOVED_A_ROUND = 500;
/** Somebody else may change a session a few times while it is to be removed, but not for ever. */
const ATTEMPTS = 5;

const kept = z.object({
  realm: z.string(),
  user: sessionUser,
  began: z.number(),
  used: z.number(),
  idToken: z.string().optional(),
  browser: z.string().optional(),
  /** Of the secret; absent: the key is. */
  hash: z.string().optional(),
  /** When this secret was first used; absent: at the login. */
  rotated: z.number().optional(),
  former: z.string().optional(),
  /** Its successor is the HMAC of it under this key, so that all requests under way are given the same. */
  next: z.object({ key: z.string(), hash: z.string() }).optional(),
});
type Kept = z.infer<typeof kept>;
type Stored = { readonly version: number; readonly body: Kept };

/**
 * Sessions of browsers. The browser has a random secret, the store only its hash, so nobody can use the store to log in. The secret
 * changes from time to time; a request with a former one is treated as theft and ends the session. Every session is a small actor,
 * so servers that share a store share their sessions.
 */
export class SessionStore {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Begins a session; answers the secret for the browser. When there are too many, the one that would end first goes. */
  async begin(
    user: SessionUser,
    idToken?: string,
    browser?: string,
  ): Promise<{ readonly secret: string; readonly key: string }> {
    const { clock, settings, realm } = this.#deps;
    await this.#makeRoom(indexOfUser(user), settings.maxOfUser);
    await this.#makeRoom(SESSIONS, settings.maxCount);
    const key = randomBytes(KEY_BYTES).toString('hex');
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const now = clock.now();
    const hint = idToken !== undefined && idToken.length <= MAX_ID_TOKEN_CHARACTERS ? { idToken } : {};
    await this.#commit(key, commitAfter(undefined), {
      ...{ realm, user, began: now, used: now, hash: hashOf(secret) },
      ...hint,
      ...(browser !== undefined && { browser }),
    });
    return { secret: `${key}.${secret}`, key };
  }

  /** The session of this secret, which is used now; undefined: there is none, or it has ended. */
  async find(secret: string): Promise<Session | undefined> {
    const given = readSecret(secret);
    const stored = given && (await this.#load(given.key));
    const now = this.#deps.clock.now();
    if (stored === undefined || this.#isOver(stored.body, now)) return undefined;
    const { key, text } = given!;
    const age = this.#ageOf(stored.body, { key, hash: hashOf(text) }, now);
    if (age === 'STOLEN') {
      await this.end(key);
      this.#deps.onTheft({ key, user: stored.body.user });
      return undefined;
    }
    const next = age === 'DUE' ? await this.#rotate(key, stored, text) : undefined;
    if (age === 'NEXT') await this.#confirm(key, stored, now);
    else if (age === 'GOOD' || stored.body.next !== undefined) await this.#noteUse(key, stored, now);
    const { idleMs, lifeMs } = this.#deps.settings;
    const { user, began, idToken } = stored.body;
    const expires = began + lifeMs;
    const session = { key, user, expires, idleUntil: Math.min(expires, now + idleMs), idToken };
    return next === undefined ? session : { ...session, nextSecret: `${key}.${next}` };
  }

  /** Those that have not ended, the last used first; of one user, or of all. */
  async list(user?: Pick<SessionUser, 'subject' | 'name'>): Promise<readonly ShownSession[]> {
    const { store, clock, settings } = this.#deps;
    const index = user === undefined ? SESSIONS : indexOfUser(user);
    const entries = await store.list(index, { limit: MAX_LISTED, descending: true });
    const shown = await Promise.all(
      entries.map(async ({ id: key }) => {
        const body = (await this.#load(key))?.body;
        if (body === undefined || this.#isOver(body, clock.now())) return [];
        const { began, used, browser = null } = body;
        const ends = Math.min(began + settings.lifeMs, used + settings.idleMs);
        return [{ key, user: body.user, browser, began, used, ends }];
      }),
    );
    return shown.flat();
  }

  /** Ends a session by its key. False: there is none, or not of this user. */
  async revoke(key: string, user?: Pick<SessionUser, 'subject' | 'name'>): Promise<boolean> {
    const stored = KEY.test(key) ? await this.#load(key) : undefined;
    if (stored === undefined || this.#isOver(stored.body, this.#deps.clock.now())) return false;
    if (user !== undefined && indexOfUser(user) !== indexOfUser(stored.body.user)) return false;
    await this.end(key);
    return true;
  }

  /** Whether it has not ended, on whatever server. */
  async isAlive(key: string): Promise<boolean> {
    const stored = await this.#load(key);
    return stored !== undefined && !this.#isOver(stored.body, this.#deps.clock.now());
  }

  /** Ends it for good, before the answer: also the loss of power does not bring it back. */
  end(key: string): Promise<void> {
    return this.#remove(key, () => true);
  }

  /** Removes sessions whose time is over, a bounded number at each call. */
  async removeExpired(): Promise<void> {
    const now = this.#deps.clock.now();
    const entries = await this.#deps.store.list(SESSIONS, { limit: REMOVED_A_ROUND });
    for (const { id } of entries.filter(({ score }) => score <= now))
      await this.#remove(id, (body) => body === undefined || this.#isOver(body, now));
  }

  async #makeRoom(index: string, atMost: number): Promise<void> {
    const { store } = this.#deps;
    const tooMany = (await store.count(index)) - atMost + 1;
    if (tooMany <= 0) return;
    const first: readonly IndexEntry[] = await store.list(index, { limit: tooMany });
    for (const { id } of first) await this.#remove(id, () => true);
  }

  /** A clock that was set back does not lengthen a session: the difference counts as its age. */
  #isOver({ realm, began, used }: Kept, now: number): boolean {
    const { idleMs, lifeMs } = this.#deps.settings;
    return realm !== this.#deps.realm || Math.abs(now - used) >= idleMs || Math.abs(now - began) >= lifeMs;
  }

  /** DUE: the secret is to be followed by another one. STOLEN: a former one, of which only a thief has a use. */
  #ageOf(
    { hash: stored, began, rotated = began, former, next }: Kept,
    { key, hash }: { readonly key: string; readonly hash: string },
    now: number,
  ): 'GOOD' | 'DUE' | 'NEXT' | 'STOLEN' {
    const { rotateMs, graceMs } = this.#deps.settings;
    if (hash === (stored ?? key)) return now - rotated >= rotateMs ? 'DUE' : 'GOOD';
    if (hash === next?.hash) return 'NEXT';
    return hash === former && now - rotated < graceMs ? 'GOOD' : 'STOLEN';
  }

  /** The secret after this one, which is good until its successor is used. Undefined: another request is just making it. */
  async #rotate(key: string, stored: Stored, secret: string): Promise<string | undefined> {
    const { version, body } = stored;
    if (body.next !== undefined) return successorOf(secret, body.next.key);
    const hmacKey = randomBytes(SECRET_BYTES).toString('base64url');
    const next = successorOf(secret, hmacKey);
    const changed = { ...body, used: this.#deps.clock.now(), next: { key: hmacKey, hash: hashOf(next) } };
    const isDone = await this.#commit(key, { expected: version }, changed).catch(() => 0);
    return isDone === 0 ? undefined : next;
  }

  /** The browser has the successor: from now on the former secret is good for a moment only. */
  async #confirm(key: string, { version, body }: Stored, now: number): Promise<void> {
    const { next, hash = key, ...others } = body;
    const changed = { ...others, used: now, hash: next!.hash, former: hash, rotated: now };
    // Another request has done it, or the disk is full: then the next request does.
    await this.#commit(key, { expected: version }, changed).catch(() => undefined);
  }

  async #noteUse(key: string, { version, body }: Stored, now: number): Promise<void> {
    const seldom = Math.min(USE_NOTED_MS, this.#deps.settings.idleMs / 10);
    if (now - body.used < seldom) return;
    // Another request has noted it, it was ended meanwhile and stays so, or the disk is full: then a session may still be read by.
    await this.#commit(key, { expected: version }, { ...body, used: now }).catch(() => undefined);
  }

  async #remove(key: string, isWanted: (body: Kept | undefined) => boolean): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const stored = await this.#loadActor(key);
      if (stored === undefined || !isWanted(readable(stored.snapshot))) return;
      const removal = this.#commit(key, commitAfter(stored), null);
      const done = attempt >= ATTEMPTS ? (await removal) === 0 : await unlessChanged(removal);
      if (done) return this.#deps.onEnd(key);
    }
  }

  /** What cannot be read is put aside: it must stand in the way of nobody, neither its user nor others. */
  async #loadActor(key: string): Promise<StoredActor | undefined> {
    const { store } = this.#deps;
    const actor = { kind: KIND, id: key };
    try {
      return await store.load(actor);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof StoreDamaged)) throw error;
      await store.quarantine(actor, error.message);
      return undefined;
    }
  }

  async #load(key: string): Promise<Stored | undefined> {
    const stored = await this.#loadActor(key);
    const body = stored === undefined ? undefined : readable(stored.snapshot);
    return stored === undefined || body === undefined ? undefined : { version: stored.version, body };
  }

  #commit(key: string, build: Pick<Commit, 'expected' | 'after'>, body: Kept | null): Promise<number> {
    const { store, owner } = this.#deps;
    const actor: ActorKey = { kind: KIND, id: key };
    const commit: Commit =
      body === null
        ? { actor, ...build, owner, snapshot: null, synced: true }
        : { actor, ...build, owner, snapshot: { schema: SCHEMA, body }, index: this.#indexes(body) };
    return store.commit(build.expected === 0 ? { ...commit, record: {} } : commit);
  }

  #indexes({ user, began, used }: Kept): Record<string, number> {
    const { idleMs, lifeMs } = this.#deps.settings;
    const ends = Math.min(began + lifeMs, used + idleMs);
    return { [SESSIONS]: ends, [indexOfUser(user)]: ends };
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const successorOf = (secret: string, key: string) =>
  createHmac('sha256', key).update(secret).digest('base64url');
const indexOfUser = ({ subject, name }: Pick<SessionUser, 'subject' | 'name'>) =>
  `${SESSIONS}-of-${hashOf(subject ?? name)}`;

function readSecret(text: string): { readonly key: string; readonly text: string } | undefined {
  const [, key, secret] = SECRET.exec(text) ?? [];
  return secret === undefined ? undefined : { key: key ?? hashOf(secret), text: secret };
}

/** Undefined: a newer server has written it, or nobody knows who. Nobody has such a session. */
function readable({ schema, body }: { readonly schema: number; readonly body: unknown }): Kept | undefined {
  if (schema !== SCHEMA) return undefined;
  return kept.safeParse(body).data;
}

/** False: somebody else was quicker. */
async function unlessChanged(commit: Promise<number>): Promise<boolean> {
  try {
    await commit;
    return true;
  } catch (error) {
    if (error instanceof VersionConflict) return false;
    throw error;
  }
}
