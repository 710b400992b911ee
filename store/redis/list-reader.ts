import type { ActorKey } from '../actor-key.ts';
import type { IndexEntry, ListOptions, OutboxEntry, OutboxOptions } from '../store.ts';
import type { Argument } from './scripts.ts';

export type ListVerb = 'store/list' | 'store/outbox' | 'store/destinations';

/** Reads pages of indexes and of the outbox. */
export class ListReader {
  readonly #read: (verb: ListVerb, words: readonly Argument[]) => Promise<readonly unknown[]>;

  constructor(read: (verb: ListVerb, words: readonly Argument[]) => Promise<readonly unknown[]>) {
    this.#read = read;
  }

  async list(
    index: string,
    { after, limit, descending = false }: ListOptions,
  ): Promise<readonly IndexEntry[]> {
    const from = after === undefined ? [0] : [1, after.score, after.id];
    const [found] = (await this.#read('store/list', [index, limit, descending ? 1 : 0, ...from])) as [
      readonly string[],
    ];
    return Array.from({ length: found.length / 2 }, (_, i) => ({
      id: found[2 * i]!,
      score: Number(found[2 * i + 1]),
    }));
  }

  async outbox(destination: string, { after, limit }: OutboxOptions): Promise<readonly OutboxEntry[]> {
    const from = after === undefined ? [0] : [1, after.due, after.id];
    const [found] = await this.#read('store/outbox', [destination, limit, ...from]);
    return (found as readonly (readonly [string, string, string, string])[]).map(
      ([id, due, actor, body]) => ({
        id,
        destination,
        due: Number(due),
        actor: keyOf(actor),
        body: JSON.parse(body) as unknown,
      }),
    );
  }

  async destinations(options: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    const [found] = await this.#read('store/destinations', [options.after ?? '', options.limit]);
    return found as readonly string[];
  }
}

function keyOf(name: string): ActorKey {
  const slash = name.indexOf('/');
  return { kind: name.slice(0, slash), id: name.slice(slash + 1) };
}
