import type { Redis } from 'ioredis';
import type { Pulse } from '../pulse.ts';
import { away, type ScriptDeps } from '../scripts.ts';

/** Characters of the list of a Redis with so many clients that nobody is to ask for it several times a second. */
const LONGEST_LIST = 1_000_000;

/** The name of a server's connection. */
export const connectionName = (keys: string, server: string): string => `${keys}server:${server}`;

/** Which servers are connected to the Redis. It closes the connection of a process that is killed at once. */
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

  /** Ids of the servers that nobody has found gone yet. @throws StoreAway */
  async listKnown(): Promise<readonly string[]> {
    try {
      return await this.#redis.smembers(`${this.#keys}w:servers`);
    } catch (error) {
      throw away(error);
    }
  }

  /**
   * Ids of the servers that are connected; undefined: Redis does not tell, for its user may not run CLIENT LIST, or it has thousands of
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
