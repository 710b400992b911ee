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

/** The logged-in user, as in the provider's claims at login. */
const sessionUser = z.object({
  name: z.string(),
  subject: z.string().nullable(),
  group: z.string().optional(),
  roles: z.array(z.enum(['USER', 'ADMIN'])).readonly(),
});
export type SessionUser = Readonly<z.infer<typeof sessionUser>>;

export interface Session {
  /** Key of the session in the store. It does not allow a login. */
  readonly key: string;
  readonly user: SessionUser;
  /** Milliseconds since the epoch. The session ends then, whether it is used or not. */
  readonly expires: number;
  /** The session ends then unless it is used before. */
  readonly idleUntil: number;
  /** The provider's ID token, needed to log out there. No other token of the provider is stored. */
  readonly idToken: string | undefined;
  /** The new secret for the browser. Absent: the browser keeps its secret. */
  readonly nextSecret?: string;
}

/** A session as its user may see it. */
export interface ShownSession {
  readonly key: string;
  readonly user: SessionUser;
  /** Short name of the browser. Null if it is unknown. */
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
    /** Age at which the secret of a browser is replaced. */
    readonly rotateMs: number;
    /** Time for which the previous secret is accepted after the first use of its successor. It serves requests that were under way. */
    readonly graceMs: number;
    /** Maximum number of sessions of all users. */
    readonly maxCount: number;
    readonly maxOfUser: number;
  };
  /**
   * Identifies the settings for logins. A session that began with other settings has ended. Changing the provider or the claims that grant
   * a role is meant for all users.
   */
  readonly realm: string;
  /** Called for each session that this server ends. */
  onEnd(key: string): void;
  /** Called for each session that ended because a previous secret was used. */
  onTheft(session: Pick<Session, 'key' | 'user'>): void;
}

export const SESSIONS = 'sessions';
const KIND = 'session';
const SCHEMA = 1;
const SECRET_BYTES = 32;
const KEY_BYTES = 16;
const KEY = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/;
/** The key of the session and a secret. Without a key, the hash of the secret is the key. */
const SECRET = /^(?:([0-9a-f]{32}|[0-9a-f]{64})\.)?([\w-]{43})$/;
/** Maximum number of sessions in a list, of one user or of all. */
const MAX_LISTED = 1_000;
/** Longer tokens are not stored, because they would make the store large. The logout at the provider then works without the token. */
const MAX_ID_TOKEN_CHARACTERS = 16_384;
/** Minimum time between two stored times of use. */
const USE_NOTED_MS = 60_000;
const REMOVED_A_ROUND = 500;
/** Number of attempts to remove a session that other requests change at the same time. */
const ATTEMPTS = 5;

const kept = z.object({
  realm: z.string(),
  user: sessionUser,
  began: z.number(),
  used: z.number(),
  idToken: z.string().optional(),
  browser: z.string().optional(),
  /** Hash of the secret. Absent: the key is the hash. */
  hash: z.string().optional(),
  /** Time when this secret was first used. Absent: at the login. */
  rotated: z.number().optional(),
  former: z.string().optional(),
  /** The successor is the HMAC of the secret with this key, so that all simultaneous requests get the same one. */
  next: z.object({ key: z.string(), hash: z.string() }).optional(),
});
type Kept = z.infer<typeof kept>;
type Stored = { readonly version: number; readonly body: Kept };

/**
 * Sessions of browsers. The browser has a random secret and the store only its hash, so the store cannot be used to log in. The secret
 * changes from time to time. A request with a previous secret counts as theft and ends the session. Every session is a small actor, so
 * servers that share a store share their sessions.
 */
export class SessionStore {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Begins a session and returns the secret for the browser. If there are too many, the session that would expire first is ended. */
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

  /** Finds the session of this secret and records its use. Returns undefined if there is none, or if it has ended. */
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

  /** Sessions that have not ended, of one user or of all; the last used first. */
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

  /** Ends a session by its key. Returns false if the user has no such session. */
  async revoke(key: string, user?: Pick<SessionUser, 'subject' | 'name'>): Promise<boolean> {
    const stored = KEY.test(key) ? await this.#load(key) : undefined;
    if (stored === undefined || this.#isOver(stored.body, this.#deps.clock.now())) return false;
    if (user !== undefined && indexOfUser(user) !== indexOfUser(stored.body.user)) return false;
    await this.end(key);
    return true;
  }

  /** True if the session has not ended on any server. */
  async isAlive(key: string): Promise<boolean> {
    const stored = await this.#load(key);
    return stored !== undefined && !this.#isOver(stored.body, this.#deps.clock.now());
  }

  /** Ends a session for good before it returns. Even a power failure does not bring the session back. */
  end(key: string): Promise<void> {
    return this.#remove(key, () => true);
  }

  /** Removes expired sessions, a limited number in each call. */
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

  /** True if the session has expired. A clock that was set back does not extend a session: the difference counts as age. */
  #isOver({ realm, began, used }: Kept, now: number): boolean {
    const { idleMs, lifeMs } = this.#deps.settings;
    return realm !== this.#deps.realm || Math.abs(now - used) >= idleMs || Math.abs(now - began) >= lifeMs;
  }

  /** DUE: the secret must be replaced. STOLEN: a previous secret, which only a thief would use. */
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

  /** Makes the next secret. The old one is valid until the next one is used. Returns undefined if another request is making it. */
  async #rotate(key: string, stored: Stored, secret: string): Promise<string | undefined> {
    const { version, body } = stored;
    if (body.next !== undefined) return successorOf(secret, body.next.key);
    const hmacKey = randomBytes(SECRET_BYTES).toString('base64url');
    const next = successorOf(secret, hmacKey);
    const changed = { ...body, used: this.#deps.clock.now(), next: { key: hmacKey, hash: hashOf(next) } };
    const isDone = await this.#commit(key, { expected: version }, changed).catch(() => 0);
    return isDone === 0 ? undefined : next;
  }

  /** The browser has used the new secret. The previous one is accepted only for `graceMs` from now on. */
  async #confirm(key: string, { version, body }: Stored, now: number): Promise<void> {
    const { next, hash = key, ...others } = body;
    const changed = { ...others, used: now, hash: next!.hash, former: hash, rotated: now };
    // Another request has stored it, or the disk is full. In that case the next request stores it.
    await this.#commit(key, { expected: version }, changed).catch(() => undefined);
  }

  async #noteUse(key: string, { version, body }: Stored, now: number): Promise<void> {
    const seldom = Math.min(USE_NOTED_MS, this.#deps.settings.idleMs / 10);
    if (now - body.used < seldom) return;
    // Another request has stored the use, the session has ended, or the disk is full. A session must be readable on a full disk.
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

  /** Loads a session. An unreadable session is moved to quarantine, so that it blocks neither its user nor others. */
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

/** Returns undefined if a newer server wrote the session, or if its content is unknown. Such a session is not valid here. */
function readable({ schema, body }: { readonly schema: number; readonly body: unknown }): Kept | undefined {
  if (schema !== SCHEMA) return undefined;
  return kept.safeParse(body).data;
}

/** Returns false if another request was faster. */
async function unlessChanged(commit: Promise<number>): Promise<boolean> {
  try {
    await commit;
    return true;
  } catch (error) {
    if (error instanceof VersionConflict) return false;
    throw error;
  }
}
