import { ReplyError, type Redis } from 'ioredis';
import { StoreAway, StoreRefuses } from '../store.ts';
import type { Pulse } from './pulse.ts';
import { scriptText } from './script-files.ts';

/** An argument of a script; numbers are written so that nothing of them is lost. */
export type Argument = string | number;

/** Commands that ioredis has made of scripts. */
type Commands = Readonly<Record<string, (prefix: string, words: readonly string[]) => Promise<unknown>>>;

export interface ScriptDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly pulse: Pulse;
}

/** Scripts by the names of their files, run on one connection in the order in which they are asked for. */
export class Scripts<Name extends string> {
  readonly #commands: Commands;
  readonly #prefix: string;
  readonly #pulse: Pulse;

  /** @param prefix of all keys; it has braces, so that a Redis of many slots keeps them in one */
  constructor({ redis, prefix, pulse }: ScriptDeps, names: readonly Name[]) {
    this.#prefix = prefix;
    this.#pulse = pulse;
    for (const name of names)
      redis.defineCommand(commandOf(name), { numberOfKeys: 1, lua: scriptText(name) });
    this.#commands = redis as unknown as Commands;
  }

  /** What changes nothing. @throws StoreAway */
  read(name: Name, args: readonly Argument[]): Promise<unknown> {
    return this.#pulse.awaitAnswer(this.run(name, args));
  }

  /** @throws StoreAway */
  async run(name: Name, args: readonly Argument[]): Promise<unknown> {
    this.#pulse.check();
    try {
      // As a list: of so many the stack of calls has no room.
      const answer = await this.#commands[commandOf(name)]!(this.#prefix, args.map(String));
      this.#pulse.hear();
      return answer;
    } catch (error) {
      throw away(error);
    }
  }
}

/** Of a Redis that answers and takes nothing in. */
const REFUSALS = /(?:^|: -)(?:NOREPLICAS|READONLY|MISCONF) /;

/** No command of Redis has such a name. */
const commandOf = (name: string) => `troupe/${name}`;

/** The error of a failed call of Redis. */
export function away(error: unknown): StoreAway {
  const message = error instanceof Error ? error.message : String(error);
  const Kind = REFUSALS.test(message) ? StoreRefuses : StoreAway;
  const what = error instanceof ReplyError ? 'sent an unexpected answer' : 'does not answer';
  return new Kind(`Redis ${what}: ${message}`, { cause: error });
}
