import type { Knowledge, RedisLedgerDeps, ServersFound } from './ledger-deps.ts';
import type { LedgerVerb } from './ledger-words.ts';
import type { QueueNames } from './queue-names.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Argument } from '../scripts.ts';

type Run = (verb: LedgerVerb, words: readonly Argument[]) => Promise<readonly unknown[]>;

/** Which servers share the Redis, and what each of them can read. */
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
   * Says that this server is there for another `ms`, and looks who of the others is not any more: what their components held waits again,
   * and no attempt is counted. `node`: the name of its own node, which no other server that is there may have.
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

  /** Nobody has changed an actor of these kinds for long. */
  isQuiet(kinds: readonly string[]): boolean {
    return this.#changes.isQuiet(kinds, performance.now());
  }

  /**
   * The next `alive` finds this server dead, unless it has said since that it is there for more than these milliseconds. Undefined: whatever
   * it has said.
   */
  async cut(server: string, leftMs: number | undefined): Promise<void> {
    await this.#run('servers/cut', [server, leftMs ?? Number.MAX_SAFE_INTEGER]);
  }

  /** Whether nobody has found another server gone yet. */
  async isThere(server: string): Promise<boolean> {
    return (await this.#run('servers/there', [server]))[0] === 1;
  }

  /** The newest schema of this kind of actor that a server which is there can read; 0: none. */
  async knownElsewhere(kind: string): Promise<number> {
    const [known] = await this.#run('servers/schemas', []);
    const schemas = (known as readonly string[]).map((text) => (JSON.parse(text) as Knowledge).schemas[kind]);
    return Math.max(0, ...schemas.map((schema) => schema ?? 0));
  }

  /** This server goes in order, and all its components have gone before. */
  async leave(): Promise<void> {
    await this.#run('servers/left', this.#names.endings);
  }
}
