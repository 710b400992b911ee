import { randomBytes, randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { actorName, type ActorKey } from '../actor-key.ts';
import type { LeaseSettings } from '../ledger.ts';
import { SharedParts } from '../shared-parts.ts';
import {
  NotStorable,
  StoreDamaged,
  VersionConflict,
  type Commit,
  type Committed,
  type IndexEntry,
  type ListOptions,
  type OutboxEntry,
  type OutboxOptions,
  type QuarantineOptions,
  type Row,
  type RowOptions,
  type Since,
  type Store,
  type StoredActor,
} from '../store.ts';
import { addressOf, type Address } from './connection.ts';
import { keyWords, ofCounters } from './changed-keys.ts';
import { commitWords, counterWords } from './commit-words.ts';
import { LAYOUT, LAYOUT_SCRIPTS, NEWER_LAYOUT, refuseOtherLayout } from './layout.ts';
import { LEDGER_SCRIPTS, type LedgerVerb } from './ledger-script.ts';
import { RedisLedger, type RedisLedgerDeps } from './redis-ledger.ts';
import { away, Scripts, type Argument } from './scripts.ts';
import { Numbers } from './numbers.ts';
import { CONFLICT, STORE_SCRIPTS, type StoreVerb } from './store-script.ts';

/** Characters of actors that are kept as they were read last; a larger one is read anew each time. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_OF_ONE = KEPT_CHARACTERS / 64;
/** Redis closes the connection of who sends more in one command (1,048,576). */
const MOST_WORDS = 1_000_000;
/** Of Redis' memory; beyond it only what is there goes on. */
const FULL = 0.9;
const MEMORY_LOOK_MS = 1_000;
/**
 * So many numbers of each sequence are left out when another process of Redis serves, which may have forgotten some that were given:
 * more than are given within the seconds that it can lose, and not the same each time, for it may come back to the same moment twice.
 */
const FORGOTTEN_NUMBERS = [10_000, 20_000] as const;

export interface RedisOptions {
  /** As `addressOf` takes it. */
  readonly url: string;
  /** Servers of one prefix share what is stored. */
  readonly prefix?: string;
  /** After so many milliseconds without an answer a call has failed; whether it was carried out is then not known. */
  readonly timeoutMs?: number;
  readonly ledger?: Partial<RedisLedgerDeps>;
  /** The connection is lost, or is there again. */
  readonly connected?: (isConnected: boolean, reason?: Error) => void;
}

const LEASES: LeaseSettings = {
  leaseMs: 15_000,
  silenceMs: 120_000,
  wholeMs: 86_400_000,
  cancelGraceMs: 5_000,
};
/** Servers look after leases each second. */
const GAP_MS = 5_000;
/**
 * What a server may need to find Redis again when its host has vanished: a connection fails after two calls without an answer, a try to
 * connect after one, and between tries are pauses of a second at most.
 */
const CALLS_TO_RETURN = 3;
const PAUSES_MS = 2_000;

/** Of an actor, as its script answers them. */
type LoadedFields = readonly [
  ...[version: string, server: string, epoch: string, schema: string, body: string],
  ...[record: string | null, parts: string | null],
];

/** What has changed of an actor, as its script answers it. */
type ChangedFields = readonly [
  ...[version: number, commit: string, schema: string, body: string],
  ...[keys: readonly string[], bodies: readonly string[]],
];

/**
 * The store in a Redis that servers share. Each verb is a script, which Redis carries out whole and alone: commits with rows, indexes,
 * notices, counters and work are one. How much survives the loss of power is a matter of Redis' own settings (appendfsync).
 */
export class RedisStore implements Store {
  readonly shared = true;
  readonly work: RedisLedger;
  readonly #address: Address;
  readonly #redis: Redis;
  /** Redis allows nothing else on a connection that listens. */
  readonly #listening: Redis;
  readonly #asking: NodeJS.Timeout;
  readonly #prefix: string;
  /** An end that is wanted is no loss. */
  #closing = false;
  /** Which process of Redis serves on this connection, once that was asked for. */
  #process: Promise<string> | undefined;
  /** When this connection was made, by the steady clock. */
  #reachedAt = performance.now();
  /** What a connection had to say last. */
  #reason: Error | undefined;
  #usage: { readonly at: number; readonly used: number; readonly most: number } | undefined;
  readonly #heard: ((words: string) => void)[] = [];
  readonly #scripts: Scripts<StoreVerb>;
  readonly #parts = new SharedParts();
  readonly #numbers = new Numbers((sequence, n) => this.#reserve(sequence, n));
  readonly #loaded = new LRUCache<string, StoredActor>({
    maxSize: KEPT_CHARACTERS,
    maxEntrySize: KEPT_OF_ONE,
  });

  /** @throws Error when Redis cannot be reached, or does not let us in */
  static async open(options: RedisOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      await store.#connect();
    } catch (error) {
      await store.close();
      const cause = store.#reason ?? error;
      const why = cause instanceof Error ? cause.message : String(cause);
      // oxlint-disable-next-line preserve-caught-error -- the connection knows more of the cause than what waited for it
      throw new Error(`The Redis at ${store.#address.shown} (REDIS_URL) cannot be used: ${why}`, { cause });
    }
    store.#tellOf(options.connected);
    return store;
  }

  private constructor({ url, prefix = 'troupe', timeoutMs = 5_000, ledger = {} }: RedisOptions) {
    this.#prefix = `{${prefix}}:`;
    this.#address = addressOf(url, timeoutMs);
    this.#redis = this.#address.connection();
    this.#listening = this.#address.connection({ commandTimeout: undefined, enableOfflineQueue: true });
    this.#asking = setInterval(() => this.#askListening(), timeoutMs).unref();
    this.#scripts = new Scripts(this.#redis, this.#prefix, STORE_SCRIPTS);
    const server = ledger.server ?? randomBytes(8).toString('hex');
    const verbs = new Scripts<LedgerVerb>(this.#redis, this.#prefix, LEDGER_SCRIPTS);
    this.work = new RedisLedger(verbs, {
      settings: LEASES,
      now: () => performance.now(),
      gapMs: GAP_MS,
      lostMs: timeoutMs,
      returnMs: CALLS_TO_RETURN * timeoutMs + PAUSES_MS,
      ...ledger,
      server,
    });
    // Both try again by themselves; whoever asks meanwhile gets the error.
    for (const redis of [this.#redis, this.#listening])
      redis.on('error', (error: Error) => (this.#reason = error));
    this.#listening.on('message', (channel: string, message: string) => {
      try {
        if (channel === `${this.#prefix}offered`) this.#offeredElsewhere(server, message);
        else for (const heard of this.#heard) heard(message);
      } catch {
        // Words of another version, or of somebody else: what they told is found in the store.
      }
    });
    // What was said while nobody listened is not said again.
    this.#listening.on('ready', () => void this.work.announce().catch(() => undefined));
  }

  /** Random, of each process of Redis. */
  async #runId(): Promise<string> {
    const info = await this.#plain(this.#redis.info('server'));
    return /^run_id:(\w+)/m.exec(info)?.[1] ?? '';
  }

  /** Each loss is told once, however often it is tried to connect again. */
  #tellOf(connected: RedisOptions['connected']): void {
    let isConnected = true;
    this.#redis.on('close', () => {
      this.#process = undefined;
      if (isConnected && !this.#closing) connected?.(false, this.#reason);
      isConnected = false;
    });
    this.#redis.on('ready', () => {
      isConnected = true;
      this.#reachedAt = performance.now();
      connected?.(true);
    });
  }

  async #connect(): Promise<void> {
    await Promise.all([this.#redis.connect(), this.#listening.connect()]);
    const layouts = new Scripts(this.#redis, this.#prefix, LAYOUT_SCRIPTS);
    await Promise.all([this.#scripts.load(), layouts.load()]);
    refuseOtherLayout(await layouts.run('layout', [LAYOUT]));
    this.#address.connectsForEver();
    await this.#listening.subscribe(`${this.#prefix}offered`, `${this.#prefix}said`);
  }

  /** Who only listens would never notice that the other end is gone. */
  #askListening(): void {
    if (this.#listening.status === 'ready') this.#listening.ping().catch(() => undefined);
  }

  #offeredElsewhere(server: string, message: string): void {
    const { server: by, queues } = JSON.parse(message) as {
      readonly server: string;
      readonly queues: readonly (readonly [string, number, number])[];
    };
    if (by !== server) this.work.offered(queues);
  }

  async commit(commit: Commit): Promise<number> {
    this.#loaded.delete(actorName(commit.actor));
    const words = [
      ...commitWords(commit, this.#parts, (queue) => this.work.queueName(queue)),
      ...this.work.changeWords(commit.work),
    ];
    if (words.length > MOST_WORDS)
      throw new NotStorable(
        `The commit cannot be written: it has ${words.length} parts, Redis takes ${MOST_WORDS} at once.`,
      );
    const version = await this.#ofActor(actorName(commit.actor), () => this.#write('commit', words));
    if (version === NEWER_LAYOUT) throw overtaken();
    if (version === CONFLICT) throw new VersionConflict(commit.actor, commit.expected);
    return version as number;
  }

  async load(actor: ActorKey): Promise<StoredActor | undefined> {
    const name = actorName(actor);
    for (let before: string | undefined; ;) {
      const known = this.#loaded.get(name);
      const answer = await this.#ofActor(name, () => this.#read('load', [name, known?.commit ?? '']));
      const [commit, fields] = answer as readonly [string, LoadedFields?];
      if (commit === '') return undefined;
      if (fields === undefined) return known!;
      const found = await this.#loadedAs(commit, fields);
      if (found !== undefined) {
        this.#loaded.set(name, found, { size: fields[4].length + (fields[5]?.length ?? 0) + 1 });
        return found;
      }
      if (commit === before) throw new StoreDamaged(`A part of the record of ${name} is missing.`);
      before = commit;
    }
  }

  /** Undefined: a part of its record is gone, most likely with the actor itself. */
  async #loadedAs(commit: string, fields: LoadedFields): Promise<StoredActor | undefined> {
    const [version, server, epoch, schema, body, text, parts] = fields;
    const wanted = this.#parts.wanted(parts ?? '');
    const { missing } = wanted;
    const texts = missing.length === 0 ? [] : await this.#read('parts', missing);
    const record =
      text === null ? undefined : this.#parts.joined(text, wanted, texts as readonly (string | null)[]);
    if (text !== null && record === undefined) return undefined;
    return {
      version: Number(version),
      commit,
      owner: { server, epoch: Number(epoch) },
      snapshot: { schema: Number(schema), body: JSON.parse(body) as unknown },
      record,
    };
  }

  async since(actor: ActorKey, seen: Committed): Promise<Since> {
    const name = actorName(actor);
    const words = [name, seen.version, seen.commit];
    const answer = await this.#ofActor(name, () => this.#read('since', words));
    const [what, ...changed] = answer as
      | readonly ['nothing' | 'unknown']
      | readonly ['changed', ...ChangedFields];
    if (what !== 'changed') return what;
    const [version, commit, schema, body, keys, bodies] = changed as ChangedFields;
    return {
      ...{ version, commit, snapshot: { schema: Number(schema), body: JSON.parse(body) as unknown } },
      rows: rowsOf(keys, bodies),
    };
  }

  async rows(actor: ActorKey, { prefix, after = '', limit }: RowOptions): Promise<readonly Row[]> {
    const name = actorName(actor);
    const answer = await this.#ofActor(name, () => this.#read('rows', [name, prefix, after, limit]));
    const [keys, bodies] = answer as [readonly string[], readonly string[]];
    return rowsOf(keys, bodies);
  }

  async list(
    index: string,
    { after, limit, descending = false }: ListOptions,
  ): Promise<readonly IndexEntry[]> {
    const from = after === undefined ? [0] : [1, after.score, after.id];
    const [found] = (await this.#read('list', [index, limit, descending ? 1 : 0, ...from])) as [
      readonly string[],
    ];
    return Array.from({ length: found.length / 2 }, (_, i) => ({
      id: found[2 * i]!,
      score: Number(found[2 * i + 1]),
    }));
  }

  count(index: string): Promise<number> {
    return this.#plain(this.#redis.zcard(`${this.#prefix}i:${index}`));
  }

  async outbox(destination: string, { after, limit }: OutboxOptions): Promise<readonly OutboxEntry[]> {
    const from = after === undefined ? [0] : [1, after.due, after.id];
    const [found] = await this.#read('outbox', [destination, limit, ...from]);
    return (found as readonly (readonly [string, string, string, string])[]).map(
      ([id, due, actor, body]) => ({
        id,
        destination,
        due: Number(due),
        actor: keyOf(actor),
        body: JSON.parse(body) as unknown,
      }),
    );
  }

  async destinations(options: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    const [found] = await this.#read('destinations', [options.after ?? '', options.limit]);
    return found as readonly string[];
  }

  async counters(prefix: string): Promise<ReadonlyMap<string, number>> {
    const all = Object.entries(await this.#plain(this.#redis.hgetall(`${this.#prefix}counters`)));
    const below = all.filter(([name]) => name.startsWith(prefix));
    const inOrder = below.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return new Map(inOrder.map(([name, value]) => [name, Number(value)]));
  }

  next(sequence: string, n = 1): Promise<number> {
    return this.#numbers.next(sequence, n);
  }

  /** The first of `n` numbers. */
  async #reserve(sequence: string, n: number): Promise<number> {
    this.#process ??= this.#runId();
    const process = await this.#process.catch((error: unknown) => {
      this.#process = undefined;
      throw error;
    });
    const [first] = await this.#read('next', [sequence, n, process, randomInt(...FORGOTTEN_NUMBERS)]);
    return first as number;
  }

  async quarantine(
    actor: ActorKey,
    reason: string,
    { seen, counters }: QuarantineOptions = {},
  ): Promise<boolean> {
    this.#loaded.delete(actorName(actor));
    const of = [seen?.version ?? '', seen?.commit ?? ''];
    const keys = keyWords([...ofCounters(counters), ['quarantine', 'list'], ['commits', 'string']]);
    const words = [actorName(actor), actor.id, reason, ...of, ...keys, ...counterWords(counters)];
    const moved = await this.#write('quarantine', words);
    if (moved === NEWER_LAYOUT) throw overtaken();
    return moved === 1;
  }

  knownElsewhere(kind: string): Promise<number> {
    return this.work.knownElsewhere(kind);
  }

  async full(): Promise<string | undefined> {
    const { used, most } = await this.memory();
    if (most === 0 || used < FULL * most) return undefined;
    return `The memory of Redis is nearly full (${used} of ${most} bytes, maxmemory); no new jobs are taken. Raise maxmemory, or keep ended jobs for a shorter time (RETENTION_DAYS).`;
  }

  /** Looked at once a second. */
  async memory(): Promise<{ readonly used: number; readonly most: number }> {
    const now = performance.now();
    if (this.#usage === undefined || now - this.#usage.at > MEMORY_LOOK_MS) {
      const info = await this.#plain(this.#redis.info('memory'));
      const [used, most] = [/^used_memory:(\d+)/m, /^maxmemory:(\d+)/m].map((line) =>
        Number(line.exec(info)?.[1] ?? 0),
      );
      this.#usage = { at: now, used: used!, most: most! };
    }
    return this.#usage;
  }

  reachedMs(): number {
    return performance.now() - this.#reachedAt;
  }

  async check(): Promise<void> {
    await this.#plain(this.#redis.ping());
  }

  /** Every server on this store that is there hears it, this one included. */
  async say(words: string): Promise<void> {
    await this.#plain(this.#redis.publish(`${this.#prefix}said`, words));
  }

  listen(heard: (words: string) => void): void {
    this.#heard.push(heard);
  }

  /** What Redis is set to; undefined: it does not say. */
  async setting(name: string): Promise<string | undefined> {
    const answer = (await this.#redis.config('GET', name).catch(() => [])) as readonly string[];
    return answer[1];
  }

  /** What is asked for by then is carried out. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#asking);
    this.#listening.disconnect();
    if (this.#redis.status === 'ready') await this.#redis.quit().catch(() => undefined);
    this.#redis.disconnect();
  }

  /** @throws StoreAway */
  async #plain<T>(command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (error) {
      throw away(error);
    }
  }

  async #read(verb: StoreVerb, words: readonly Argument[]): Promise<readonly unknown[]> {
    return (await this.#scripts.run(verb, words)) as readonly unknown[];
  }

  /** @throws StoreDamaged when something else lies where the actor should, which is no fault of Redis and goes on for ever */
  async #ofActor<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!/WRONGTYPE/.test(String(error))) throw error;
      const damage = (await this.#scripts.run('damage', [name])) as string;
      if (damage === '') throw error;
      throw new StoreDamaged(`What is stored of ${name} is damaged: ${damage}.`, { cause: error });
    }
  }

  /** Whatever it has done with work is told to this server's listeners. */
  async #write(verb: StoreVerb, words: readonly Argument[]): Promise<unknown> {
    const [told, answer] = (await this.#scripts.run(verb, [...this.work.context(), ...words])) as unknown[];
    this.work.told(told);
    return answer;
  }
}

const rowsOf = (keys: readonly string[], bodies: readonly string[]): readonly Row[] =>
  keys.map((key, i) => ({ key, body: JSON.parse(bodies[i]!) as unknown }));

function keyOf(name: string): ActorKey {
  const slash = name.indexOf('/');
  return { kind: name.slice(0, slash), id: name.slice(slash + 1) };
}

const overtaken = () =>
  away('a newer version of Troupe has changed the layout of what is there; stop this server');
