/** Long polls that wait for work, by queue. In memory only: a poll that is lost asks again. */
export class WorkWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Wakes whoever waits for this queue; all of them look, one finds the work. */
  wake(queue: string): void {
    const waiting = this.#waiting.get(queue);
    this.#waiting.delete(queue);
    for (const resume of waiting ?? []) resume();
  }

  /** Settles when one of these queues has work, after `ms`, or when `signal` aborts. */
  wait(queues: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        for (const queue of queues) this.#waiting.get(queue)?.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      for (const queue of queues) this.#waiting.set(queue, (this.#waiting.get(queue) ?? new Set()).add(done));
      if (signal.aborted) done();
    });
  }
}
