import type { ServerResponse } from 'node:http';

/** Open answers by session, so that event streams of a session end at its logout. */
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

  /** Closes all open answers of a session. */
  cut(session: string): void {
    for (const response of this.#open.get(session) ?? []) response.destroy();
  }
}
