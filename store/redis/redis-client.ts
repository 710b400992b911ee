import type { Redis } from 'ioredis';
import { otherFormat, STORED_FORMAT } from '../stored-format.ts';
import { addressOf, type Address } from './connection.ts';
import type { RedisOptions } from './redis-options.ts';
import { connectionName } from './ledger/server-connections.ts';
import { Pulse } from './pulse.ts';
import { away, Scripts } from './scripts.ts';

/** Servers of one prefix share what is stored. */
const DEFAULT_PREFIX = 'troupe';
const MEMORY_LOOK_MS = 1_000;

interface MemoryFigures {
  readonly used: number;
  readonly most: number;
}

export interface ClientOptions {
  /** As `addressOf` takes it. */
  readonly url: string;
  readonly prefix?: string | undefined;
  /** After so many milliseconds without an answer a call has failed; whether it was carried out is then not known. */
  readonly timeoutMs: number;
  /** Id of this server: other servers see by it that it is connected. */
  readonly server: string;
}

/** Hears what servers tell one another. */
export interface ChannelListener {
  /** Some server has offered work. */
  onOffer(message: string): void;
  said(words: string): void;
  /** This server listens from now on: what was said before is not said again. */
  ready(): void;
}

/** The connections of one server to Redis: one that asks, and one that listens, for Redis allows nothing else on that. */
export class RedisClient {
  readonly redis: Redis;
  readonly prefix: string;
  readonly pulse: Pulse;
  readonly #address: Address;
  readonly #listening: Redis;
  readonly #asking: NodeJS.Timeout;
  /** An end that is wanted is no loss. */
  #closing = false;
  /** Which process of Redis serves on this connection, once that was asked for. */
  #process: Promise<string> | undefined;
  /** When this connection was made, by the steady clock. */
  #reachedAt = performance.now();
  /** What a connection had to say last. */
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
    // Both try again by themselves; whoever asks meanwhile gets the error.
    for (const redis of [this.redis, this.#listening])
      redis.on('error', (error: Error) => (this.#reason = error));
    this.#listening.on('message', (channel: string, message: string) => {
      try {
        if (channel === `${this.prefix}offered`) listener.onOffer(message);
        else listener.said(message);
      } catch {
        // Words of another version, or of somebody else: what they told is found in the store.
      }
    });
    this.#listening.on('ready', () => listener.ready());
  }

  /** @throws Error when Redis cannot be reached, does not let us in, or holds another format */
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

  /** Each loss is told once, however often it is tried to connect again. */
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

  /** They may know another primary by now. Where there are none, there is nothing but to wait. */
  #askSentinels(): void {
    if (!this.#address.hasSentinels) return;
    for (const redis of [this.redis, this.#listening])
      if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
  }

  /** Who only listens would never notice that the other end is gone. */
  #askListening(): void {
    if (this.#listening.status === 'ready') this.#listening.ping().catch(() => undefined);
  }

  /** Random, of the process of Redis that serves now. @throws StoreAway */
  async processId(): Promise<string> {
    this.#process ??= this.plain(() => this.redis.info('server')).then(
      (info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? '',
    );
    return this.#process.catch((error: unknown) => {
      this.#process = undefined;
      throw error;
    });
  }

  /** Bytes. Looked at once a second. @throws StoreAway */
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

  /** Since it could be reached again, in milliseconds. */
  reachedMs(): number {
    return performance.now() - this.#reachedAt;
  }

  /** Every server on this store that is there hears it, this one included. @throws StoreAway */
  async say(words: string): Promise<void> {
    await this.plain(() => this.redis.publish(`${this.prefix}said`, words));
  }

  /** What Redis is set to; undefined: it does not say. */
  async readSetting(name: string): Promise<string | undefined> {
    const answer = (await this.redis.config('GET', name).catch(() => [])) as readonly string[];
    return answer[1];
  }

  /** What is asked for by then is carried out. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#asking);
    this.pulse.close();
    this.#listening.disconnect();
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  /** A command that is no script. @throws StoreAway */
  async plain<T>(command: () => Promise<T>): Promise<T> {
    this.pulse.check();
    try {
      return await this.pulse.awaitAnswer(command());
    } catch (error) {
      throw away(error);
    }
  }
}
