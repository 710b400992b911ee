import type { ServerResponse } from 'node:http';

/** Open answers by session: after the logout, an event stream of the session ends. */
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

  sessions(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Breaks them off. */
  cut(session: string): void {
    for (const response of this.#open.get(session) ?? []) response.destroy();
  }
}
