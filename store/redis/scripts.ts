import { ReplyError, type Redis } from 'ioredis';
import { StoreAway, StoreRefuses } from '../store.ts';
import type { Pulse } from './pulse.ts';
import { scriptText } from './script-files.ts';

/** An argument of a script. Numbers are written without loss of precision. */
export type Argument = string | number;

/** The commands that ioredis defines for scripts. */
type Commands = Readonly<Record<string, (prefix: string, words: readonly string[]) => Promise<unknown>>>;

export interface ScriptDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly pulse: Pulse;
}

/** Scripts by file name. They run on one connection, in the order of the calls. */
export class Scripts<Name extends string> {
  readonly #commands: Commands;
  readonly #prefix: string;
  readonly #pulse: Pulse;

  /** @param prefix of all keys; its braces make a Redis cluster keep all keys in one slot */
  constructor({ redis, prefix, pulse }: ScriptDeps, names: readonly Name[]) {
    this.#prefix = prefix;
    this.#pulse = pulse;
    for (const name of names)
      redis.defineCommand(commandOf(name), { numberOfKeys: 1, lua: scriptText(name) });
    this.#commands = redis as unknown as Commands;
  }

  /** Runs a script that only reads. @throws StoreAway */
  read(name: Name, args: readonly Argument[]): Promise<unknown> {
    return this.#pulse.awaitAnswer(this.run(name, args));
  }

  /** @throws StoreAway */
  async run(name: Name, args: readonly Argument[]): Promise<unknown> {
    this.#pulse.check();
    try {
      // As a list, because too many separate arguments would overflow the call stack.
      const answer = await this.#commands[commandOf(name)]!(this.#prefix, args.map(String));
      this.#pulse.hear();
      return answer;
    } catch (error) {
      throw away(error);
    }
  }
}

/** Errors of a Redis that answers but accepts no writes. */
const REFUSALS = /(?:^|: -)(?:NOREPLICAS|READONLY|MISCONF) /;

/** Name of the command of a script. No command of Redis has such a name. */
const commandOf = (name: string) => `troupe/${name}`;

/** Returns the error for a failed call of Redis. */
export function away(error: unknown): StoreAway {
  const message = error instanceof Error ? error.message : String(error);
  const Kind = REFUSALS.test(message) ? StoreRefuses : StoreAway;
  const what = error instanceof ReplyError ? 'sent an unexpected answer' : 'does not answer';
  return new Kind(`Redis ${what}: ${message}`, { cause: error });
}
