import { LEDGER_LIMITS } from '../ledger-limits.ts';
import type { WorkItem } from '../ledger.ts';
import { Level, userOf } from './level.ts';

const HIGHEST = LEDGER_LIMITS.HIGHEST_PRIORITY;

/** Restrictions on items that are handed out together. */
export interface Beside {
  readonly isAlone: (id: string) => boolean;
  /** True if the worker already holds other items. */
  readonly holds: boolean;
}

/** A queue: its levels by priority, and the number of its items that each user holds. */
interface Queue {
  readonly levels: readonly Level[];
  readonly held: Map<string, number>;
  length: number;
}

/** Waiting items by queue and priority, the highest first. Users of one priority take turns, and so do the actors of a user. */
export class TurnQueue {
  readonly #items = new Map<string, WorkItem>();
  readonly #queues = new Map<string, Queue>();
  readonly #weightOf: (item: WorkItem) => number;
  #turn = 0;

  /** @param weightOf returns the weight of an item's user */
  constructor(weightOf: (item: WorkItem) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  offer(items: readonly WorkItem[]): void {
    for (const item of items) {
      if (this.#items.has(item.id)) continue;
      this.#items.set(item.id, item);
      const queue = this.#queue(item.queue);
      const held = queue.held.get(userOf(item)) ?? 0;
      levelOf(queue, item).add(item, { weight: this.#weightOf(item), held, turn: ++this.#turn });
      queue.length++;
    }
  }

  /**
   * Takes up to `max` items of these queues, which their users then hold. An item for which `isAlone` is true is taken alone, and only by a
   * worker that holds no other items.
   */
  take(
    queues: readonly string[],
    max: number,
    { isAlone, holds }: Beside = { isAlone: () => false, holds: false },
  ): readonly WorkItem[] {
    const taken: WorkItem[] = [];
    while (taken.length < max) {
      const item = this.#next(queues);
      if (item === undefined) break;
      const alone = isAlone(item.id);
      if (alone && (holds || taken.length > 0)) break;
      levelOf(this.#queue(item.queue), item).take(++this.#turn);
      this.hold(item);
      this.#forget(item);
      taken.push(item);
      if (alone) break;
    }
    return taken;
  }

  /** Removes the waiting items with these ids and returns them. */
  remove(ids: readonly string[]): readonly WorkItem[] {
    const removed: WorkItem[] = [];
    for (const id of ids) {
      const item = this.#items.get(id);
      if (item === undefined) continue;
      levelOf(this.#queue(item.queue), item).remove(item);
      this.#forget(item);
      removed.push(item);
    }
    return removed;
  }

  /** Counts an item that a worker holds. */
  hold(item: WorkItem): void {
    this.#addHeld(item, 1);
  }

  /** A worker no longer holds the item. */
  free(item: WorkItem): void {
    this.#addHeld(item, -1);
  }

  lengthOf(queue: string): number {
    return this.#queues.get(queue)?.length ?? 0;
  }

  /** Queues with waiting or held items. */
  names(): Iterable<string> {
    return this.#queues.keys();
  }

  /** For each queue of an actor's items, the number of items of this queue that are taken before the actor's first. */
  ahead(items: readonly WorkItem[]): ReadonlyMap<string, number> {
    const firsts = new Map<string, WorkItem>();
    for (const item of items) {
      const first = firsts.get(item.queue);
      if (first === undefined || priorityOf(first) < priorityOf(item)) firsts.set(item.queue, item);
    }
    return new Map([...firsts].map(([name, item]) => [name, this.#aheadOf(item)]));
  }

  #aheadOf(item: WorkItem): number {
    const queue = this.#queue(item.queue);
    const above = queue.levels.slice(priorityOf(item) + 1).filter(({ length }) => length > 0);
    const aboveOf = (user: string) => above.reduce((sum, level) => sum + level.waitingOf(user), 0);
    return above.reduce((sum, { length }) => sum + length, levelOf(queue, item).ahead(item, aboveOf));
  }

  #queue(name: string): Queue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const levels = Array.from({ length: HIGHEST + 1 }, () => new Level());
    const queue: Queue = { levels, held: new Map(), length: 0 };
    this.#queues.set(name, queue);
    return queue;
  }

  #next(queues: readonly string[]): WorkItem | undefined {
    for (let priority = HIGHEST; priority >= 0; priority--)
      for (const name of queues) {
        const level = this.#queues.get(name)?.levels[priority];
        if (level !== undefined && level.length > 0) return level.first();
      }
    return undefined;
  }

  #addHeld(item: WorkItem, by: number): void {
    const { levels, held } = this.#queue(item.queue);
    const user = userOf(item);
    const now = (held.get(user) ?? 0) + by;
    if (now > 0) held.set(user, now);
    else held.delete(user);
    for (const level of levels) if (level.length > 0) level.setHeld(user, now);
    this.#forgetIdle(item.queue);
  }

  #forget(item: WorkItem): void {
    this.#items.delete(item.id);
    this.#queue(item.queue).length--;
    this.#forgetIdle(item.queue);
  }

  /** Deletes an empty queue, because there may be a queue for each user and host. */
  #forgetIdle(name: string): void {
    const queue = this.#queues.get(name);
    if (queue?.length === 0 && queue.held.size === 0) this.#queues.delete(name);
  }
}

const priorityOf = ({ priority }: WorkItem) => Math.min(HIGHEST, Math.max(0, priority));
const levelOf = ({ levels }: Queue, item: WorkItem): Level => levels[priorityOf(item)]!;
