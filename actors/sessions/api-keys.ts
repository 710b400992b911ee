import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { encodeName, NAMELESS, type Identity } from '../../domain/users/owner.ts';
import { commitAfter, VersionConflict, type Owner as Writer, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';

const apiKey = z.object({
  name: z.string(),
  /** Hex SHA-256 of the secret. */
  hash: z.string(),
  role: z.enum(['USER', 'ADMIN']),
  /** The user who created the key, as known at that time. */
  owner: z.object({
    name: z.string(),
    subject: z.string().nullable(),
    client: z.string().nullable(),
    group: z.string().nullable(),
  }),
  /** Milliseconds since the epoch. */
  created: z.number(),
  expires: z.number(),
  used: z.number().nullable(),
});
type Kept = z.infer<typeof apiKey>;
type Role = Kept['role'];

/** A key without its secret, which only its user has. */
export interface ApiKey extends Omit<Kept, 'hash'> {
  readonly id: string;
}

export interface NewApiKey {
  readonly name: string;
  readonly role: Role;
  readonly days: number;
}

interface Stored {
  readonly version: number;
  readonly commit: string;
  readonly body: Kept;
}

const KIND = 'api-key';
const SCHEMA = 1;
/** Index of all keys by creation time. The keys of each user have another index. */
const KEYS = 'api-keys';
const MAX_OF_USER = 100;
const MAX_LISTED = 1_000;
const DAY_MS = 86_400_000;
/** Time for which a found key is used without another read. A key revoked by another server stops working after this time. */
const FOUND_MS = 500;
const MAX_FOUND = 5_000;
/** Minimum time between two stored times of use. */
const USE_NOTED_MS = 60_000;
const TOKEN = /^troupe_([0-9a-f]{16})_([\w-]{43})$/;
/** Prefix of every API key token. */
export const API_KEY_PREFIX = 'troupe_';

/** API keys for scripts. A user has the token, the store only a hash of its secret. Servers that share a store share their keys. */
export class ApiKeys {
  readonly #store: Store;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #found = new Map<string, { readonly key: Stored | undefined; readonly until: number }>();

  constructor(store: Store, writer: Writer, clock: Clock) {
    this.#store = store;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Creates a key and returns its token, which is shown only this once. Returns 'FULL' if the user has the maximum number. */
  async create(
    owner: Identity,
    { name, role, days }: NewApiKey,
  ): Promise<{ readonly key: ApiKey; readonly token: string } | 'FULL'> {
    if (!(await this.#hasRoom(owner))) return 'FULL';
    const [id, secret] = [randomBytes(8).toString('hex'), randomBytes(32).toString('base64url')];
    const created = this.#clock.now();
    const { subject, client, group } = owner;
    const body: Kept = {
      ...{ name, role, created, hash: hashOf(secret), used: null },
      owner: { name: owner.name, subject, client, group },
      expires: created + days * DAY_MS,
    };
    await this.#store.commit({
      actor: { kind: KIND, id },
      expected: 0,
      owner: this.#writer,
      record: {},
      snapshot: { schema: SCHEMA, body },
      index: { [KEYS]: created, [indexOf(owner)]: created },
      synced: true,
    });
    return { key: toShownKey(id, body), token: `${API_KEY_PREFIX}${id}_${secret}` };
  }

  /** Finds the key of this token and records its use. Returns undefined if there is none, or if it was revoked or has expired. */
  async find(token: string): Promise<ApiKey | undefined> {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const stored = await this.#look(id);
    const now = this.#clock.now();
    if (stored === undefined || !isSame(hashOf(secret), stored.body.hash)) return undefined;
    if (now >= stored.body.expires) return undefined;
    await this.#noteUse(id, stored, now);
    return toShownKey(id, stored.body);
  }

  /** Keys of one user or of all, newest first. */
  async list(owner?: Identity): Promise<readonly ApiKey[]> {
    const index = owner === undefined ? KEYS : indexOf(owner);
    const entries = await this.#store.list(index, { limit: MAX_LISTED, descending: true });
    const keys = await Promise.all(
      entries.map(async ({ id }) => {
        const stored = await this.#load(id);
        return stored === undefined ? [] : [toShownKey(id, stored.body)];
      }),
    );
    return keys.flat();
  }

  /** Revokes a key for good before it returns. Returns false if the user has no key with this id. */
  async revoke(id: string, owner?: Identity): Promise<boolean> {
    for (;;) {
      const stored = /^[0-9a-f]{16}$/.test(id) ? await this.#load(id) : undefined;
      if (stored === undefined) return false;
      if (owner !== undefined && indexOf(owner) !== indexOf(stored.body.owner)) return false;
      if (await this.#write(id, stored, null)) {
        this.#found.delete(id);
        return true;
      }
    }
  }

  /** True if the user may create a key. Expired keys are deleted to make room. */
  async #hasRoom(owner: Identity): Promise<boolean> {
    if ((await this.#store.count(indexOf(owner))) < MAX_OF_USER) return true;
    const now = this.#clock.now();
    for (const { id, expires } of await this.list(owner)) if (now >= expires) await this.revoke(id);
    return (await this.#store.count(indexOf(owner))) < MAX_OF_USER;
  }

  async #look(id: string): Promise<Stored | undefined> {
    const now = this.#clock.steady();
    const known = this.#found.get(id);
    if (known !== undefined && now < known.until) return known.key;
    const key = await this.#load(id);
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.set(id, { key, until: now + FOUND_MS });
    return key;
  }

  async #load(id: string): Promise<Stored | undefined> {
    const stored = await this.#store.load({ kind: KIND, id });
    if (stored === undefined || stored.snapshot.schema !== SCHEMA) return undefined;
    const body = apiKey.safeParse(stored.snapshot.body).data;
    return body === undefined ? undefined : { version: stored.version, commit: stored.commit, body };
  }

  async #noteUse(id: string, stored: Stored, now: number): Promise<void> {
    if (Math.abs(now - (stored.body.used ?? -Infinity)) < USE_NOTED_MS) return;
    // The disk is full, or another request has stored the use. The key is valid anyway.
    await this.#write(id, stored, { ...stored.body, used: now }).catch(() => undefined);
  }

  /** Returns false if another request has changed the key. */
  async #write(id: string, stored: Stored, body: Kept | null): Promise<boolean> {
    const snapshot = body === null ? null : { schema: SCHEMA, body };
    try {
      await this.#store.commit({
        actor: { kind: KIND, id },
        ...commitAfter(stored),
        owner: this.#writer,
        snapshot,
        synced: body === null,
      });
      return true;
    } catch (error) {
      if (error instanceof VersionConflict) return false;
      throw error;
    }
  }
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b.padEnd(a.length)));
const toShownKey = (id: string, { hash: _, ...key }: Kept): ApiKey => ({ id, ...key });

/** Users without a subject are identified by client and name. */
const indexOf = ({ subject, client, name }: Pick<Identity, 'subject' | 'client' | 'name'>): string =>
  `${KEYS}-of-${encodeName(subject ?? client ?? name ?? NAMELESS)}`;
