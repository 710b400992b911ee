/** Long polls that wait for work, by queue. In memory only: the client of a lost poll asks again. */
export class PendingClaims {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Wakes waiting polls of this queue, the oldest first, at most as many as there are items. */
  wake(queue: string, items: number): void {
    let left = items;
    for (const waiter of this.#waiting.get(queue) ?? []) {
      if (left-- <= 0) return;
      waiter.wake(queue);
    }
  }

  /** Returns a waiter for a poll that checks these queues and waits while they are empty. */
  join(queues: readonly string[]): Waiter {
    return new Waiter(queues, this.#waiting, (queue) => this.wake(queue, 1));
  }
}

/**
 * Waits until there may be work. `look` runs before every check, so that no work is missed in between. Another claim may
 * get the item for which this one was woken, so a claim that ends wakes the next one.
 */
export class Waiter {
  readonly #queues: readonly string[];
  readonly #waiting: Map<string, Set<Waiter>>;
  readonly #passOn: (queue: string) => void;
  /** Queues for which it was woken since its last check, and before it. */
  #woken = new Set<string>();
  #wokenBefore = new Set<string>();
  #resume = () => {};

  constructor(queues: readonly string[], waiting: Map<string, Set<Waiter>>, passOn: (queue: string) => void) {
    this.#queues = queues;
    this.#waiting = waiting;
    this.#passOn = passOn;
  }

  wake(queue: string): void {
    this.#remove();
    this.#woken.add(queue);
    this.#resume();
  }

  look(): void {
    for (const queue of this.#queues)
      this.#waiting.set(queue, (this.#waiting.get(queue) ?? new Set()).add(this));
    for (const queue of this.#woken) this.#wokenBefore.add(queue);
    this.#woken.clear();
  }

  /** Waits after a check that found nothing. Resolves if it was woken since the check, after `ms`, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    this.#wokenBefore.clear();
    if (this.#woken.size > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#resume = () => {};
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      this.#resume = done;
    });
  }

  leave(): void {
    this.#remove();
    for (const queue of new Set([...this.#wokenBefore, ...this.#woken])) this.#passOn(queue);
  }

  #remove(): void {
    for (const queue of this.#queues) {
      const waiting = this.#waiting.get(queue);
      waiting?.delete(this);
      if (waiting?.size === 0) this.#waiting.delete(queue);
    }
  }
}
