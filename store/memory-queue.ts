import type { WorkItem, WorkQueue } from './queue.ts';

/** Items of one priority: jobs take turns (a Map keeps the order of turns), a job's items stay in order. */
type Turns<I> = Map<string, I[]>;

/** The queue of a server that owns its store: rebuilt from the rows when jobs are loaded, so it needs no file. */
export class MemoryQueue<I extends WorkItem> implements WorkQueue<I> {
  readonly #items = new Map<string, I>();
  /** By queue name, then by priority. */
  readonly #queues = new Map<string, Turns<I>[]>();
  readonly #lengths = new Map<string, number>();

  offer(items: readonly I[]): Promise<void> {
    for (const item of items) {
      if (this.#items.has(item.id)) continue;
      this.#items.set(item.id, item);
      const turns = this.#turns(item.queue, item.priority);
      const mine = turns.get(item.jobId);
      if (mine === undefined) turns.set(item.jobId, [item]);
      else mine.push(item);
      this.#lengths.set(item.queue, (this.#lengths.get(item.queue) ?? 0) + 1);
    }
    return Promise.resolve();
  }

  take(queues: readonly string[], max: number): Promise<readonly I[]> {
    const taken: I[] = [];
    while (taken.length < max) {
      const next = this.#next(queues);
      if (next === undefined) break;
      taken.push(next);
    }
    return Promise.resolve(taken);
  }

  remove(ids: readonly string[]): Promise<readonly I[]> {
    const removed: I[] = [];
    for (const id of ids) {
      const item = this.#items.get(id);
      if (item === undefined) continue;
      const turns = this.#turns(item.queue, item.priority);
      const rest = (turns.get(item.jobId) ?? []).filter((other) => other.id !== id);
      if (rest.length > 0) turns.set(item.jobId, rest);
      else turns.delete(item.jobId);
      this.#forget(item);
      removed.push(item);
    }
    return Promise.resolve(removed);
  }

  jobs(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set([...this.#items.values()].map(({ jobId }) => jobId)));
  }

  lengths(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(new Map(this.#lengths));
  }

  ahead(jobId: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const [queue, levels] of this.#queues) {
      let before = 0;
      for (const turns of levels.toReversed()) {
        if (turns.has(jobId)) {
          // Each job before it in the turn gives one item.
          for (const other of turns.keys()) {
            if (other === jobId) break;
            before++;
          }
          found.set(queue, before);
          break;
        }
        for (const items of turns.values()) before += items.length;
      }
    }
    return Promise.resolve(found);
  }

  #turns(queue: string, priority: number): Turns<I> {
    const levels = this.#queues.get(queue) ?? Array.from({ length: 10 }, () => new Map<string, I[]>());
    this.#queues.set(queue, levels);
    return levels[Math.min(9, Math.max(0, priority))]!;
  }

  #next(queues: readonly string[]): I | undefined {
    for (let priority = 9; priority >= 0; priority--)
      for (const queue of queues) {
        const turns = this.#queues.get(queue)?.[priority];
        const first = turns?.entries().next().value;
        if (turns === undefined || first === undefined) continue;
        const [jobId, items] = first;
        const item = items.shift()!;
        // The job goes to the end of the turn, or out of it.
        turns.delete(jobId);
        if (items.length > 0) turns.set(jobId, items);
        this.#forget(item);
        return item;
      }
    return undefined;
  }

  #forget(item: I): void {
    this.#items.delete(item.id);
    this.#lengths.set(item.queue, this.#lengths.get(item.queue)! - 1);
  }
}
