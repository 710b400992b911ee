/** The items of work that the ledger in memory has. */
import type { News, WorkItem } from './ledger.ts';
import { actorName, type ActorKey } from './store.ts';

/** The state of an item in the ledger. */
export type Entry =
  | { readonly state: 'waiting'; readonly item: WorkItem; readonly since: number; readonly releases: number }
  /** `orphan`: the actor no longer needs the item, but the worker does not know this yet. */
  | {
      readonly state: 'held';
      readonly item: WorkItem;
      readonly token: string;
      readonly releases: number;
      readonly orphan: boolean;
    }
  | { readonly state: 'told'; readonly item: WorkItem; readonly news: News };

/** Items by id and by actor. */
export class ItemIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byActor = new Map<string, Set<string>>();

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  all(): Iterable<Entry> {
    return this.#entries.values();
  }

  idsOf(actor: ActorKey): readonly string[] {
    return [...(this.#byActor.get(actorName(actor)) ?? [])];
  }

  countOf(actor: ActorKey): number {
    return this.#byActor.get(actorName(actor))?.size ?? 0;
  }

  waitingIn(queue: string): readonly string[] {
    return [...this.#entries.values()].flatMap(({ state, item }) =>
      state === 'waiting' && item.queue === queue ? [item.id] : [],
    );
  }

  put(entry: Entry): void {
    const { id, actor } = entry.item;
    this.#entries.set(id, entry);
    const name = actorName(actor);
    const ids = this.#byActor.get(name) ?? new Set<string>();
    this.#byActor.set(name, ids.add(id));
  }

  remove({ id, actor }: WorkItem): void {
    const name = actorName(actor);
    this.#entries.delete(id);
    const ids = this.#byActor.get(name);
    ids?.delete(id);
    if (ids?.size === 0) this.#byActor.delete(name);
  }

  /** For each queue, the number of milliseconds for which its oldest item has waited. */
  oldest(now: number): ReadonlyMap<string, number> {
    const oldest = new Map<string, number>();
    for (const entry of this.#entries.values())
      if (entry.state === 'waiting')
        oldest.set(entry.item.queue, Math.max(oldest.get(entry.item.queue) ?? 0, now - entry.since));
    return oldest;
  }
}
