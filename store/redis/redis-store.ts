import { randomBytes, randomInt } from 'node:crypto';
import { actorName, type ActorKey } from '../actor-key.ts';
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
import { ActorReader, type ReadVerb } from './actor-reader.ts';
import { changedKeys, CheckedKeys, counterKey, keyWords, ofCounters } from './changed-keys.ts';
import { commitWords, counterWords } from './commit-words.ts';
import { ListReader } from './list-reader.ts';
import { RedisClient } from './redis-client.ts';
import { RedisLedger } from './ledger/redis-ledger.ts';
import { ledgerDefaults, type RedisOptions } from './redis-options.ts';
import { CONFLICT, NEWER_FORMAT } from './script-files.ts';
import { away, Scripts, type Argument } from './scripts.ts';
import { Numbers } from './numbers.ts';

/** Most arguments of a command. Redis closes the connection of a client that sends more than 1,048,576. */
const MOST_WORDS = 1_000_000;
/** Share of Redis' memory above which new jobs are refused. */
const FULL = 0.9;
/**
 * Number of numbers that each sequence skips when another Redis process serves, because that process may have lost some. It exceeds
 * the numbers given within the seconds that Redis can lose. It is random, because Redis may return to the same state twice.
 */
const FORGOTTEN_NUMBERS = [10_000, 20_000] as const;

const VERBS = [
  ...(['store/commit', 'store/load', 'store/since', 'store/parts', 'store/rows', 'store/list'] as const),
  ...(['store/outbox', 'store/damage', 'store/destinations', 'store/next', 'store/quarantine'] as const),
] as const;
type StoreVerb = (typeof VERBS)[number];

/**
 * The store in a Redis that servers share. Each verb is a script, which Redis runs atomically: rows, indexes, notices, counters and work of
 * a commit are written together. The settings of Redis (appendfsync) decide what survives a power loss.
 */
export class RedisStore implements Store {
  readonly shared = true;
  readonly work: RedisLedger;
  readonly #client: RedisClient;
  readonly #heard: ((words: string) => void)[] = [];
  readonly #scripts: Scripts<StoreVerb>;
  readonly #parts = new SharedParts({ isChecked: true });
  readonly #actors = new ActorReader((verb, words) => this.#readActor(verb, words), this.#parts);
  readonly #checked = new CheckedKeys();
  readonly #lists = new ListReader((verb, words) => this.#read(verb, words));
  readonly #numbers = new Numbers((sequence, n) => this.#reserve(sequence, n));

  /** @throws Error if Redis cannot be reached, denies access, or has data of another format */
  static async open(options: RedisOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    await store.#client.connect();
    store.#client.subscribe(options);
    return store;
  }

  private constructor({ url, prefix, timeoutMs = 5_000, ledger = {} }: RedisOptions) {
    const server = ledger.server ?? randomBytes(8).toString('hex');
    this.#client = new RedisClient(
      { url, prefix, timeoutMs, server },
      {
        onOffer: (message) => this.#offeredElsewhere(server, message),
        said: (words) => this.#heard.forEach((onMessage) => onMessage(words)),
        ready: () => void this.work.announce().catch(() => undefined),
      },
    );
    this.#scripts = new Scripts(this.#client, VERBS);
    this.work = new RedisLedger(this.#client, { ...ledgerDefaults(timeoutMs), ...ledger, server });
  }

  #offeredElsewhere(server: string, message: string): void {
    // Ignores messages that this server sent itself, which are most of them.
    if (message.includes(`"server":${JSON.stringify(server)}`)) return;
    const { server: by, queues } = JSON.parse(message) as {
      readonly server: string;
      readonly queues: readonly (readonly [string, number, number])[];
    };
    if (by !== server) this.work.onOffer(queues);
  }

  async commit(commit: Commit): Promise<number> {
    this.#actors.forget(actorName(commit.actor));
    const now = performance.now();
    const all = changedKeys(commit, (queue) => this.work.queueName(queue));
    const keys = this.#checked.due(all, now);
    const words = [...commitWords(commit, this.#parts, keys), ...this.work.changeWords(commit.work)];
    if (words.length > MOST_WORDS)
      throw new NotStorable(
        `The commit cannot be written: it has ${words.length} parts, Redis takes ${MOST_WORDS} at once.`,
      );
    const version = await this.#ofActor(actorName(commit.actor), () => this.#write('store/commit', words));
    if (version === NEWER_FORMAT) throw overtakenError();
    if (version === CONFLICT) throw new VersionConflict(commit.actor, commit.expected);
    this.#checked.note(keys, now);
    return version as number;
  }

  load(actor: ActorKey): Promise<StoredActor | undefined> {
    return this.#actors.load(actor);
  }

  since(actor: ActorKey, seen: Committed): Promise<Since> {
    return this.#actors.since(actor, seen);
  }

  rows(actor: ActorKey, options: RowOptions): Promise<readonly Row[]> {
    return this.#actors.rows(actor, options);
  }

  list(index: string, options: ListOptions): Promise<readonly IndexEntry[]> {
    return this.#lists.list(index, options);
  }

  count(index: string): Promise<number> {
    return this.#client.plain(() => this.#client.redis.zcard(`${this.#client.prefix}i:${index}`));
  }

  outbox(destination: string, options: OutboxOptions): Promise<readonly OutboxEntry[]> {
    return this.#lists.outbox(destination, options);
  }

  destinations(options: { readonly after?: string; readonly limit: number }): Promise<readonly string[]> {
    return this.#lists.destinations(options);
  }

  async counters(prefix: string): Promise<ReadonlyMap<string, number>> {
    const all = Object.entries(
      await this.#client.plain(() =>
        this.#client.redis.hgetall(`${this.#client.prefix}${counterKey(prefix)}`),
      ),
    );
    const below = all.filter(([name]) => name.startsWith(prefix));
    const inOrder = below.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return new Map(inOrder.map(([name, value]) => [name, Number(value)]));
  }

  next(sequence: string, n = 1): Promise<number> {
    return this.#numbers.next(sequence, n);
  }

  /** Returns the first of `n` numbers. */
  async #reserve(sequence: string, n: number): Promise<number> {
    const words = [sequence, n, await this.#client.processId(), randomInt(...FORGOTTEN_NUMBERS)];
    const [first] = await this.#read('store/next', words);
    return first as number;
  }

  async quarantine(
    actor: ActorKey,
    reason: string,
    { seen, counters }: QuarantineOptions = {},
  ): Promise<boolean> {
    this.#actors.forget(actorName(actor));
    const of = [seen?.version ?? '', seen?.commit ?? ''];
    const keys = keyWords([...ofCounters(counters), ['quarantine', 'list'], ['commits', 'string']]);
    const words = [actorName(actor), actor.id, reason, ...of, ...keys, ...counterWords(counters)];
    const moved = await this.#write('store/quarantine', words);
    if (moved === NEWER_FORMAT) throw overtakenError();
    return moved === 1;
  }

  isQuiet(...kinds: readonly string[]): boolean {
    return this.work.isQuiet(kinds);
  }

  knownElsewhere(kind: string): Promise<number> {
    return this.work.knownElsewhere(kind);
  }

  async full(): Promise<string | undefined> {
    const { used, most } = await this.memory();
    if (most === 0 || used < FULL * most) return undefined;
    return `The memory of Redis is nearly full (${used} of ${most} bytes, maxmemory), so new jobs are refused. Raise maxmemory, or keep ended jobs for a shorter time (RETENTION_DAYS).`;
  }

  memory(): Promise<{ readonly used: number; readonly most: number }> {
    return this.#client.memory();
  }

  reachedMs(): number {
    return this.#client.reachedMs();
  }

  async check(): Promise<void> {
    await this.#client.plain(() => this.#client.redis.ping());
  }

  /** Sends a message to all live servers of this store, including this one. */
  say(words: string): Promise<void> {
    return this.#client.say(words);
  }

  listen(onMessage: (words: string) => void): void {
    this.#heard.push(onMessage);
  }

  /** Returns a setting of Redis, or undefined if it cannot be read. */
  readSetting(name: string): Promise<string | undefined> {
    return this.#client.readSetting(name);
  }

  /** Returns a section of INFO. @throws StoreAway */
  readInfo(section: string): Promise<string> {
    return this.#client.plain(() => this.#client.redis.info(section));
  }

  /** Closes the connections. Redis still executes earlier commands. */
  close(): Promise<void> {
    return this.#client.close();
  }

  async #read(verb: StoreVerb, words: readonly Argument[]): Promise<readonly unknown[]> {
    return (await this.#scripts.read(verb, words)) as readonly unknown[];
  }

  /** @param words the first is the name of the actor, except for parts of records */
  #readActor(verb: ReadVerb, words: readonly Argument[]): Promise<readonly unknown[]> {
    const read = () => this.#read(verb, words);
    return verb === 'store/parts' ? read() : this.#ofActor(String(words[0]), read);
  }

  /** @throws StoreDamaged if a key of the actor has another type: unlike an outage of Redis, this does not pass */
  async #ofActor<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!/WRONGTYPE/.test(String(error))) throw error;
      this.#checked.clear();
      const damage = (await this.#scripts.run('store/damage', [name])) as string;
      if (damage === '') throw error;
      throw new StoreDamaged(`What is stored of ${name} is damaged: ${damage}.`, { cause: error });
    }
  }

  /** Runs a script that writes, and reports changes of work to this server's listeners. */
  async #write(verb: StoreVerb, words: readonly Argument[]): Promise<unknown> {
    const [told, answer] = (await this.#scripts.run(verb, [...this.work.context(), ...words])) as unknown[];
    this.work.tellListeners(told);
    return answer;
  }
}

const overtakenError = () =>
  away('a newer version of Troupe has changed the format of what is there; stop this server');
