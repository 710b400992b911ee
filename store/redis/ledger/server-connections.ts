import type { Redis } from 'ioredis';
import { away } from '../scripts.ts';

/** Characters of the list of a Redis with so many clients that nobody is to ask for it several times a second. */
const LONGEST_LIST = 1_000_000;

/** What the connection of a server is called. */
export const connectionName = (keys: string, server: string): string => `${keys}server:${server}`;

/** Which servers are connected to the Redis. It closes the connection of a process that is killed at once. */
export class ServerConnections {
  readonly #redis: Redis;
  readonly #keys: string;
  #isRefused = false;

  /** @param keys prefix of all keys */
  constructor(redis: Redis, keys: string) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /**
   * Ids of the servers that are connected; undefined: Redis does not tell, for its user may not run CLIENT LIST, or it has thousands of
   * clients.
   * @throws StoreAway
   */
  async list(): Promise<ReadonlySet<string> | undefined> {
    if (this.#isRefused) return undefined;
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
