import type { ServerResponse } from 'node:http';

/** Answers that are not at their end yet, by session: who is logged out sees no more of an event stream. */
export class OpenAnswers {
  readonly #open = new Map<string, Set<ServerResponse>>();

  add(session: string, response: ServerResponse): void {
    const own = this.#open.get(session) ?? new Set();
    this.#open.set(session, own.add(response));
    response.once('close', () => {
      own.delete(response);
      if (own.size === 0 && this.#open.get(session) === own) this.#open.delete(session);
    });
  }

  /** Breaks them off. */
  cut(session: string): void {
    for (const response of this.#open.get(session) ?? []) response.destroy();
  }
}
