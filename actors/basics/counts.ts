/** Events of actors since the server started, by kind of actor, for metrics. */
export type Happening = 'restarted' | 'escalated' | 'deadLetter' | 'quarantined';

export class RuntimeCounts {
  readonly #counts = new Map<Happening, Map<string, number>>();

  /** @param actor `<kind>/<id>`; only kinds are counted, because there is no limit to the number of ids */
  add(happening: Happening, actor: string): void {
    const [kind = actor] = actor.split('/');
    const counts = this.#counts.get(happening) ?? new Map<string, number>();
    this.#counts.set(happening, counts.set(kind, (counts.get(kind) ?? 0) + 1));
  }

  of(happening: Happening): ReadonlyMap<string, number> {
    return this.#counts.get(happening) ?? new Map();
  }
}
