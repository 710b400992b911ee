import { createHash } from 'node:crypto';

/**
 * Cache of verified tokens: the server checks the signature of a token once a minute, not at each request. Keys of the cache are hashes, so
 * the cache holds no token. The least recently used entry is removed first.
 */
export class VerifiedTokens<T> {
  readonly #entries = new Map<string, { value: T; since: number; until: number }>();
  readonly #capacity: number;
  readonly #maxAgeMs: number;

  constructor({ capacity, maxAgeMs }: { capacity: number; maxAgeMs: number }) {
    this.#capacity = capacity;
    this.#maxAgeMs = maxAgeMs;
  }

  static idOf(token: string): string {
    return createHash('sha256').update(token).digest('base64');
  }

  get(id: string, now: number): T | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    // If `now` is before `since`, the clock was set back, and the entry would be valid for too long.
    if (now < entry.since || entry.until <= now) return undefined;
    this.#entries.set(id, entry);
    return entry.value;
  }

  /** Stores an entry. `expiresAt` is in milliseconds: an entry never outlives its token. */
  set(id: string, value: T, { now, expiresAt }: { now: number; expiresAt: number }): void {
    this.#entries.set(id, { value, since: now, until: Math.min(expiresAt, now + this.#maxAgeMs) });
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}
