import { AsyncResource } from 'node:async_hooks';
import { z } from 'zod';
import type { Logger } from '../../config/logger.ts';
import { randomId } from '../../store/random-id.ts';
import {
  commitAfter,
  VersionConflict,
  type ActorKey,
  type IndexEntry,
  type Owner,
  type Store,
} from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { auditEntry, fitsEntry, type AuditEntry, type AuditFilter } from './entry.ts';

const AUDIT = 'audit';
const SCHEMA = 1;
/** Index of batches of entries, by the time of their last one. */
const BATCHES = 'audit';
const COUNT = 'audit/entries';
/** Time during which entries are collected, so that a busy server stores many at once. */
const COLLECT_MS = 50;
const MAX_BATCH = 200;
/** Most time between the first and the last entry of a batch. */
const MAX_SPAN_MS = 10_000;
/** Most entries that wait while the store is away. Further entries are only in the log. */
const MAX_QUEUED = 10_000;
const RETRY_MS = 1_000;
/** Most batches that one page reads. */
const MAX_SCANNED = 500;
const LOADED_AT_ONCE = 20;

export interface AuditTrailDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of entries to keep. Sometimes there are a few more. The oldest are deleted first. */
  readonly maxEntries: number;
}

export interface AuditQuery extends AuditFilter {
  readonly limit: number;
  /** Where the previous page ended. */
  readonly before: AuditCursor | undefined;
}

/** A position after the newest `taken` entries of a batch. */
export interface AuditCursor extends IndexEntry {
  readonly taken: number;
}

export interface AuditPage {
  /** Entries, the newest first. */
  readonly entries: readonly AuditEntry[];
  readonly next: AuditCursor | undefined;
}

const storedBatch = z.object({ entries: z.array(auditEntry) });

/** Stores audit entries: what was changed, by whom and from where. Requests do not wait until an entry is written. */
export class AuditTrail {
  readonly #deps: AuditTrailDeps;
  #queue: AuditEntry[] = [];
  #lost = 0;
  /** Separates the writes from the requests that the entries are about. */
  readonly #apart = new AsyncResource('AuditTrail');
  #writing: Promise<void> | undefined;
  #stopWaiting = () => {};
  #isClosed = false;
  /** Number of entries since the last check of the limit. */
  #sinceTrim = Infinity;

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps;
  }

  /** Stores an entry soon. */
  note(entry: AuditEntry): void {
    if (this.#queue.length >= MAX_QUEUED) this.#lost++;
    else this.#queue.push(entry);
    this.#apart.runInAsyncScope(() => this.#startWriting());
  }

  /** Returns a page of entries, the newest first. It may be short, or even empty, while more follow. */
  async list({ limit, before, ...filter }: AuditQuery): Promise<AuditPage> {
    const found: AuditEntry[] = [];
    let scanned = 0;
    let last = before;
    for await (const { batch, entries } of this.#batches(before, filter)) {
      for (const [n, entry] of entries.entries()) {
        if (batch.id === before?.id && n < before.taken) continue;
        if (found.length === limit) return { entries: found, next: last };
        last = { ...batch, taken: n + 1 };
        if (fitsEntry(entry, filter)) found.push(entry);
      }
      if (++scanned === MAX_SCANNED) return { entries: found, next: last };
    }
    return { entries: found, next: undefined };
  }

  /** Resolves when all entries are stored or cannot be stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    await this.#writing;
  }

  #startWriting(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      // An entry may have arrived when the last batch ended.
      if (this.#queue.length > 0 && !this.#isClosed) this.#startWriting();
    });
  }

  async *#batches(before: AuditCursor | undefined, { from = -Infinity, to }: AuditFilter) {
    const { store } = this.#deps;
    if (before !== undefined) yield { batch: before, entries: await this.#entriesOf(before.id) };
    let after: IndexEntry | undefined =
      before ?? (to === undefined ? undefined : { score: to + MAX_SPAN_MS, id: '' });
    for (;;) {
      const options = { limit: LOADED_AT_ONCE, descending: true, ...(after === undefined ? {} : { after }) };
      const page = await store.list(BATCHES, options);
      const all = await Promise.all(page.map(({ id }) => this.#entriesOf(id)));
      for (const [n, batch] of page.entries()) {
        if (batch.score < from) return;
        yield { batch, entries: all[n]! };
      }
      if (page.length < LOADED_AT_ONCE) return;
      after = page.at(-1);
    }
  }

  /** Returns the entries of a batch, the newest first, or [] if the batch was deleted meanwhile. */
  async #entriesOf(id: string): Promise<readonly AuditEntry[]> {
    const stored = await this.#deps.store.load(keyOf(id));
    return storedBatch.safeParse(stored?.record).data?.entries.toReversed() ?? [];
  }

  async #write(): Promise<void> {
    const { logger } = this.#deps;
    while (this.#queue.length > 0) {
      await this.#wait(COLLECT_MS);
      const entries = nextBatch(this.#queue);
      try {
        await this.#commit(entries);
        this.#queue = this.#queue.slice(entries.length);
        await this.#trim(entries.length);
      } catch (err) {
        if (this.#isClosed) {
          logger.error({ err, entries: this.#queue.length }, 'audit entries could not be stored');
          return;
        }
        await this.#wait(RETRY_MS);
      }
    }
    if (this.#lost > 0)
      logger.warn({ entries: this.#lost }, 'audit entries are in the log only: the store did not answer');
    this.#lost = 0;
  }

  async #commit(entries: readonly AuditEntry[]): Promise<void> {
    const { store, owner } = this.#deps;
    await store.commit({
      actor: keyOf(randomId()),
      expected: 0,
      owner,
      snapshot: { schema: SCHEMA, body: {} },
      record: { entries },
      index: { [BATCHES]: entries.at(-1)!.at },
      counters: { [COUNT]: entries.length },
    });
  }

  /** Deletes the oldest batches if there are too many entries. Checks only after every hundredth of the limit. */
  async #trim(added: number): Promise<void> {
    const { store, maxEntries } = this.#deps;
    this.#sinceTrim += added;
    if (this.#sinceTrim < maxEntries / 100) return;
    this.#sinceTrim = 0;
    let left = (await store.counters(COUNT)).get(COUNT) ?? 0;
    while (left > maxEntries) {
      const oldest = await store.list(BATCHES, { limit: LOADED_AT_ONCE });
      if (oldest.length === 0) return;
      for (const { id } of oldest) if (left > maxEntries) left -= await this.#remove(id);
    }
  }

  /** Deletes a batch and returns the number of its entries, at least 1. Another server may have deleted it already. */
  async #remove(id: string): Promise<number> {
    const { store, owner } = this.#deps;
    const stored = await store.load(keyOf(id));
    if (stored === undefined) return 1;
    const count = storedBatch.safeParse(stored.record).data?.entries.length ?? 0;
    const removal = { actor: keyOf(id), ...commitAfter(stored), owner, snapshot: null };
    await store.commit({ ...removal, counters: { [COUNT]: -count } }).catch((error: unknown) => {
      if (!(error instanceof VersionConflict)) throw error;
    });
    return Math.max(1, count);
  }

  /** Waits for `ms`, or until the server stops. */
  #wait(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(ms, resolve);
      this.#stopWaiting = () => {
        cancel();
        resolve();
      };
    });
  }
}

const keyOf = (id: string): ActorKey => ({ kind: AUDIT, id });

/** Returns the first entries of the queue, at most as many as one batch may have. */
function nextBatch(queue: readonly AuditEntry[]): readonly AuditEntry[] {
  const until = queue[0]!.at + MAX_SPAN_MS;
  const late = queue.findIndex(({ at }) => at > until);
  return queue.slice(0, Math.min(MAX_BATCH, late === -1 ? queue.length : late));
}
