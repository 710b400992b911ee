import { LEDGER_LIMITS } from './ledger-limits.ts';
import type { WorkItem } from './ledger.ts';
import { actorName } from './store.ts';

const HIGHEST = LEDGER_LIMITS.HIGHEST_PRIORITY;

/** Items of one priority: actors take turns (a Map keeps the order of turns), an actor's items stay in order. */
type Turns = Map<string, WorkItem[]>;

/** The item whose turn it is, and where it waits. */
interface Next {
  readonly timeSlices: Turns;
  readonly actor: string;
  readonly items: WorkItem[];
  readonly item: WorkItem;
}

/** What items may be handed out together. */
export interface Beside {
  readonly isAlone: (id: string) => boolean;
  /** Who takes them holds others already. */
  readonly holds: boolean;
}

/** What waits, by queue and priority: the highest first, actors of one priority in turn, so that a large one never starves a small one. */
export class TurnQueue {
  readonly #items = new Map<string, WorkItem>();
  /** By queue name, then by priority. */
  readonly #queues = new Map<string, Turns[]>();
  readonly #lengths = new Map<string, number>();

  offer(items: readonly WorkItem[]): void {
    for (const item of items) {
      if (this.#items.has(item.id)) continue;
      this.#items.set(item.id, item);
      const timeSlices = this.#turns(item.queue, item.priority);
      const mine = timeSlices.get(actorName(item.actor));
      if (mine === undefined) timeSlices.set(actorName(item.actor), [item]);
      else mine.push(item);
      this.#lengths.set(item.queue, (this.#lengths.get(item.queue) ?? 0) + 1);
    }
  }

  /**
   * Takes out up to `max` items of these queues. One that `isAlone` says is to have no other beside it is taken as the only one, and not
   * at all by who holds others.
   */
  take(
    queues: readonly string[],
    max: number,
    { isAlone, holds }: Beside = { isAlone: () => false, holds: false },
  ): readonly WorkItem[] {
    const taken: WorkItem[] = [];
    while (taken.length < max) {
      const next = this.#next(queues);
      if (next === undefined) break;
      const alone = isAlone(next.item.id);
      if (alone && (holds || taken.length > 0)) break;
      this.#takeOut(next);
      taken.push(next.item);
      if (alone) break;
    }
    return taken;
  }

  /** Takes out the items with these ids; answers those that were there. */
  remove(ids: readonly string[]): readonly WorkItem[] {
    const removed: WorkItem[] = [];
    for (const id of ids) {
      const item = this.#items.get(id);
      if (item === undefined) continue;
      const timeSlices = this.#turns(item.queue, item.priority);
      const rest = (timeSlices.get(actorName(item.actor)) ?? []).filter((other) => other.id !== id);
      if (rest.length > 0) timeSlices.set(actorName(item.actor), rest);
      else timeSlices.delete(actorName(item.actor));
      this.#forget(item);
      removed.push(item);
    }
    return removed;
  }

  lengths(): ReadonlyMap<string, number> {
    return this.#lengths;
  }

  /** For each queue that holds items of an actor: how many would be taken from it alone before the actor's first. */
  ahead(actor: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const [queue, levels] of this.#queues) {
      let before = 0;
      for (const timeSlices of levels.toReversed()) {
        if (timeSlices.has(actor)) {
          // Each actor before it in the turn gives one item.
          for (const other of timeSlices.keys()) {
            if (other === actor) break;
            before++;
          }
          found.set(queue, before);
          break;
        }
        for (const items of timeSlices.values()) before += items.length;
      }
    }
    return found;
  }

  #turns(queue: string, priority: number): Turns {
    const levels =
      this.#queues.get(queue) ?? Array.from({ length: HIGHEST + 1 }, () => new Map<string, WorkItem[]>());
    this.#queues.set(queue, levels);
    return levels[Math.min(HIGHEST, Math.max(0, priority))]!;
  }

  #next(queues: readonly string[]): Next | undefined {
    for (let priority = HIGHEST; priority >= 0; priority--)
      for (const queue of queues) {
        const timeSlices = this.#queues.get(queue)?.[priority];
        const first = timeSlices?.entries().next().value;
        if (timeSlices === undefined || first === undefined) continue;
        const [actor, items] = first;
        return { timeSlices, actor, items, item: items[0]! };
      }
    return undefined;
  }

  #takeOut({ timeSlices, actor, items, item }: Next): void {
    items.shift();
    // The actor goes to the end of the turn, or out of it.
    timeSlices.delete(actor);
    if (items.length > 0) timeSlices.set(actor, items);
    this.#forget(item);
  }

  #forget(item: WorkItem): void {
    this.#items.delete(item.id);
    const left = this.#lengths.get(item.queue)! - 1;
    if (left > 0) this.#lengths.set(item.queue, left);
    else for (const byQueue of [this.#lengths, this.#queues]) byQueue.delete(item.queue);
  }
}
