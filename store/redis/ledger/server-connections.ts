import type { Redis } from 'ioredis';
import type { Pulse } from '../pulse.ts';
import { away, type ScriptDeps } from '../scripts.ts';

/** Most characters of the list of clients. A longer list is too expensive to read several times a second. */
const LONGEST_LIST = 1_000_000;

/** The name of a server's connection. */
export const connectionName = (keys: string, server: string): string => `${keys}server:${server}`;

/** The servers that are connected to Redis. When a process is killed, its connection closes at once. */
export class ServerConnections {
  readonly #redis: Redis;
  readonly #keys: string;
  readonly #pulse: Pulse;
  #isRefused = false;

  constructor({ redis, prefix, pulse }: ScriptDeps) {
    this.#redis = redis;
    this.#keys = prefix;
    this.#pulse = pulse;
  }

  /** Ids of the servers that are registered and not known to be dead. @throws StoreAway */
  async listKnown(): Promise<readonly string[]> {
    try {
      return await this.#redis.smembers(`${this.#keys}w:servers`);
    } catch (error) {
      throw away(error);
    }
  }

  /**
   * Returns the ids of the connected servers. Returns undefined if the user may not run CLIENT LIST, or if Redis has thousands of
   * clients.
   * @throws StoreAway
   */
  async list(): Promise<ReadonlySet<string> | undefined> {
    if (this.#isRefused) return undefined;
    this.#pulse.check();
    try {
      const list = (await this.#redis.client('LIST', 'TYPE', 'NORMAL')) as string;
      if (list.length > LONGEST_LIST) this.#isRefused = true;
      const first = `name=${connectionName(this.#keys, '')}`;
      const names = list.split(/[ \n]/).filter((word) => word.startsWith(first));
      return new Set(names.map((name) => name.slice(first.length)));
    } catch (error) {
      if (!String(error).includes('NOPERM')) throw away(error);
      this.#isRefused = true;
      return undefined;
    }
  }
}
