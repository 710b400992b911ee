import type { Knowledge, RedisLedgerDeps, ServersFound } from './ledger-deps.ts';
import type { LedgerVerb } from './ledger-words.ts';
import type { QueueNames } from './queue-names.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Argument } from '../scripts.ts';

type Run = (verb: LedgerVerb, words: readonly Argument[]) => Promise<readonly unknown[]>;

/** The servers that share the Redis, and what each of them can read. */
export class ServerRegister {
  readonly #run: Run;
  readonly #names: QueueNames;
  readonly #deps: Pick<RedisLedgerDeps, 'lostMs' | 'returnMs' | 'schemas'>;
  readonly #changes = new RecentChanges();

  constructor(run: Run, names: QueueNames, deps: Pick<RedisLedgerDeps, 'lostMs' | 'returnMs' | 'schemas'>) {
    this.#run = run;
    this.#names = names;
    this.#deps = deps;
  }

  /**
   * Registers this server for another `ms` and removes dead servers. The items of their components wait again, and no attempt is counted.
   * @param node name of this server's own node, which must be unique among the live servers
   */
  async alive(ms: number, node: string): Promise<ServersFound> {
    const knowledge: Knowledge = { schemas: this.#deps.schemas ?? {}, shares: 1, changes: 1 };
    const [dead, servers, holder, wasAbsent, rank, changes] = await this.#run('servers/alive', [
      ms,
      this.#deps.lostMs ?? 0,
      this.#deps.returnMs ?? 0,
      node,
      JSON.stringify(knowledge),
      ...this.#names.endings,
    ]);
    this.#changes.note(changes as readonly string[], performance.now());
    return {
      dead: dead as readonly string[],
      servers: servers as number,
      ...(holder === '' ? {} : { holder: holder as string }),
      wasAbsent: wasAbsent === 1,
      rank: rank as number,
    };
  }

  /** True if no actor of these kinds has changed recently. */
  isQuiet(kinds: readonly string[]): boolean {
    return this.#changes.isQuiet(kinds, performance.now());
  }

  /**
   * The next `alive` finds this server dead, unless the server has meanwhile registered for more than these milliseconds. If they are
   * undefined, it is always found dead.
   */
  async cut(server: string, leftMs: number | undefined): Promise<void> {
    await this.#run('servers/cut', [server, leftMs ?? Number.MAX_SAFE_INTEGER]);
  }

  /** True if another server is registered and not known to be dead. */
  async isThere(server: string): Promise<boolean> {
    return (await this.#run('servers/there', [server]))[0] === 1;
  }

  /** Returns the newest schema of this kind of actor that a registered server can read; 0 if none can. */
  async knownElsewhere(kind: string): Promise<number> {
    const [known] = await this.#run('servers/schemas', []);
    const schemas = (known as readonly string[]).map((text) => (JSON.parse(text) as Knowledge).schemas[kind]);
    return Math.max(0, ...schemas.map((schema) => schema ?? 0));
  }

  /** Removes this server at an orderly stop, after all its components have stopped. */
  async leave(): Promise<void> {
    await this.#run('servers/left', this.#names.endings);
  }
}
