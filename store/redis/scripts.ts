import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { StoreAway } from '../store.ts';

/** An argument of a script; numbers are written so that nothing of them is lost. */
export type Argument = string | number;

/** Scripts by their names, run on one connection in the order in which they are asked for. */
export class Scripts<Name extends string> {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #bodies: Readonly<Record<Name, string>>;
  readonly #hashes: ReadonlyMap<Name, string>;

  /** @param prefix of all keys; it has braces, so that a Redis of many slots keeps them in one */
  constructor(redis: Redis, prefix: string, bodies: Readonly<Record<Name, string>>) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#bodies = bodies;
    const names = Object.keys(bodies) as Name[];
    this.#hashes = new Map(
      names.map((name) => [name, createHash('sha1').update(bodies[name]).digest('hex')]),
    );
  }

  /** Brings all of them to Redis, so that none has to be sent twice. */
  async load(): Promise<void> {
    await Promise.all(Object.values<string>(this.#bodies).map((body) => this.#redis.script('LOAD', body)));
  }

  /** @throws StoreAway */
  async run(name: Name, args: readonly Argument[]): Promise<unknown> {
    // As a list: of so many the stack of calls has no room.
    const words = ['1', this.#prefix, ...args.map(String)];
    try {
      return await this.#redis.call('EVALSHA', [this.#hashes.get(name)!, ...words]);
    } catch (error) {
      // A Redis that was started anew knows no scripts.
      if (!String(error).includes('NOSCRIPT')) throw away(error);
    }
    return await this.#redis.call('EVAL', [this.#bodies[name], ...words]).catch((error: unknown) => {
      throw away(error);
    });
  }
}

/** What Redis, or the way there, has to say. */
export const away = (error: unknown): StoreAway =>
  new StoreAway(
    `Redis does not answer as it should: ${error instanceof Error ? error.message : String(error)}`,
    {
      cause: error,
    },
  );
