import type { Argument } from '../scripts.ts';

/** Names of queues in Redis. A queue of a single server contains the server's name. */
export class QueueNames {
  readonly #server: string;
  readonly #own: ReadonlySet<string>;

  constructor(server: string, own: readonly string[]) {
    this.#server = server;
    this.#own = new Set(own);
  }

  nameForAll(queue: string): string {
    return this.#own.has(queue) ? `${queue}@${this.#server}` : queue;
  }

  /** Returns this server's name of a queue, or nothing if the queue is another server's own. */
  ownName(name: string): readonly string[] {
    const at = name.lastIndexOf('@');
    const queue = name.slice(0, at);
    if (at < 0 || !this.#own.has(queue)) return [name];
    return this.nameForAll(queue) === name ? [queue] : [];
  }

  /** Names of the own queues, by which scripts find the queues of a dead server. */
  get endings(): readonly Argument[] {
    return [this.#own.size, ...this.#own];
  }
}
