import type { Redis } from 'ioredis';
import { otherFormat, STORED_FORMAT } from '../stored-format.ts';
import { addressOf, type Address } from './connection.ts';
import type { RedisOptions } from './redis-options.ts';
import { connectionName } from './ledger/server-connections.ts';
import { Pulse } from './pulse.ts';
import { away, Scripts } from './scripts.ts';

/** Default prefix of all keys. Servers with the same prefix share their data. */
const DEFAULT_PREFIX = 'troupe';
const MEMORY_LOOK_MS = 1_000;

interface MemoryFigures {
  readonly used: number;
  readonly most: number;
}

export interface ClientOptions {
  /** URL in the forms of `addressOf`. */
  readonly url: string;
  readonly prefix?: string | undefined;
  /** Timeout of a call in milliseconds. Redis may have executed a call that timed out. */
  readonly timeoutMs: number;
  /** Id of this server, by which other servers see that it is connected. */
  readonly server: string;
}

/** Receives messages between servers. */
export interface ChannelListener {
  /** A server has offered work. */
  onOffer(message: string): void;
  said(words: string): void;
  /** This server receives messages from now on. Earlier messages are lost. */
  ready(): void;
}

/** The two connections of one server to Redis: one for commands and one for subscriptions, on which Redis allows nothing else. */
export class RedisClient {
  readonly redis: Redis;
  readonly prefix: string;
  readonly pulse: Pulse;
  readonly #address: Address;
  readonly #listening: Redis;
  readonly #asking: NodeJS.Timeout;
  /** True after `close`: then a closed connection is not reported as a loss. */
  #closing = false;
  /** Id of the Redis process on this connection, once it was asked for. */
  #process: Promise<string> | undefined;
  /** When this connection was made, by the monotonic clock. */
  #reachedAt = performance.now();
  /** Last error of a connection. */
  #reason: Error | undefined;
  #onSilence: ((isSilent: boolean) => void) | undefined;
  #usage: { readonly at: number; readonly figures: Promise<MemoryFigures> } | undefined;

  constructor({ url, prefix = DEFAULT_PREFIX, timeoutMs, server }: ClientOptions, listener: ChannelListener) {
    this.prefix = `{${prefix}}:`;
    this.#address = addressOf(url, timeoutMs);
    this.redis = this.#address.connection({ connectionName: connectionName(this.prefix, server) });
    this.#listening = this.#address.connection({ commandTimeout: undefined, enableOfflineQueue: true });
    this.pulse = new Pulse(this.redis, {
      onSilence: (isSilent) => this.#onSilence?.(isSilent),
      onStuck: () => this.#askSentinels(),
    });
    this.#asking = setInterval(() => this.#askListening(), timeoutMs).unref();
    // Both connections retry on their own. Calls meanwhile get the error.
    for (const redis of [this.redis, this.#listening])
      redis.on('error', (error: Error) => (this.#reason = error));
    this.#listening.on('message', (channel: string, message: string) => {
      try {
        if (channel === `${this.prefix}offered`) listener.onOffer(message);
        else listener.said(message);
      } catch {
        // Ignores messages of other versions or programs. The store has what they announced.
      }
    });
    this.#listening.on('ready', () => listener.ready());
  }

  /** @throws Error if Redis cannot be reached, denies access, or has data of another format */
  async connect(): Promise<void> {
    try {
      await Promise.all([this.redis.connect(), this.#listening.connect()]);
      await this.#checkFormat();
      this.#address.connectsForEver();
      await this.#listening.subscribe(`${this.prefix}offered`, `${this.prefix}said`);
    } catch (error) {
      await this.close();
      const cause = this.#reason ?? error;
      const why = cause instanceof Error ? cause.message : String(cause);
      // oxlint-disable-next-line preserve-caught-error -- the connection knows more of the cause than what waited for it
      throw new Error(`The Redis at ${this.#address.shown} (REDIS_URL) cannot be used: ${why}`, { cause });
    }
  }

  async #checkFormat(): Promise<void> {
    const scripts = new Scripts(this, ['store/format']);
    const format = (await scripts.run('store/format', [])) as number | string;
    if (format !== STORED_FORMAT)
      throw otherFormat({ what: 'What is there', format, anew: 'Set REDIS_PREFIX to another name' });
  }

  /** Reports each loss of the connection once, for any number of attempts to connect again. */
  subscribe({ onConnection, onSilence }: Pick<RedisOptions, 'onConnection' | 'onSilence'>): void {
    this.#onSilence = onSilence;
    let isConnected = true;
    this.redis.on('close', () => {
      this.#process = undefined;
      if (isConnected && !this.#closing) onConnection?.(false, this.#reason);
      isConnected = false;
    });
    this.redis.on('ready', () => {
      isConnected = true;
      this.#reachedAt = performance.now();
      onConnection?.(true);
    });
  }

  /** Connects again through the sentinels, which may know another primary. Without sentinels, the client can only wait. */
  #askSentinels(): void {
    if (!this.#address.hasSentinels) return;
    for (const redis of [this.redis, this.#listening])
      if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
  }

  /** Pings on the subscribed connection, which otherwise would not notice that the other end is gone. */
  #askListening(): void {
    if (this.#listening.status === 'ready') this.#listening.ping().catch(() => undefined);
  }

  /** Returns the random id of the current Redis process. @throws StoreAway */
  async processId(): Promise<string> {
    this.#process ??= this.plain(() => this.redis.info('server')).then(
      (info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? '',
    );
    return this.#process.catch((error: unknown) => {
      this.#process = undefined;
      throw error;
    });
  }

  /** Returns the memory figures in bytes, read at most once a second. @throws StoreAway */
  memory(): Promise<MemoryFigures> {
    const now = performance.now();
    if (this.#usage === undefined || now - this.#usage.at > MEMORY_LOOK_MS) {
      const usage = { at: now, figures: this.#readMemory() };
      this.#usage = usage;
      usage.figures.catch(() => {
        if (this.#usage === usage) this.#usage = undefined;
      });
    }
    return this.#usage.figures;
  }

  async #readMemory(): Promise<MemoryFigures> {
    const info = await this.plain(() => this.redis.info('memory'));
    const [used, most] = [/^used_memory:(\d+)/m, /^maxmemory:(\d+)/m].map((line) =>
      Number(line.exec(info)?.[1] ?? 0),
    );
    return { used: used!, most: most! };
  }

  /** Milliseconds since the client last connected. */
  reachedMs(): number {
    return performance.now() - this.#reachedAt;
  }

  /** Sends a message to all live servers of this store, including this one. @throws StoreAway */
  async say(words: string): Promise<void> {
    await this.plain(() => this.redis.publish(`${this.prefix}said`, words));
  }

  /** Returns a setting of Redis, or undefined if it cannot be read. */
  async readSetting(name: string): Promise<string | undefined> {
    const answer = (await this.redis.config('GET', name).catch(() => [])) as readonly string[];
    return answer[1];
  }

  /** Closes the connections. Redis still executes earlier commands. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#asking);
    this.pulse.close();
    this.#listening.disconnect();
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  /** Runs a command that is not a script. @throws StoreAway */
  async plain<T>(command: () => Promise<T>): Promise<T> {
    this.pulse.check();
    try {
      return await this.pulse.awaitAnswer(command());
    } catch (error) {
      throw away(error);
    }
  }
}
