/** What happened to actors since the server started, by kind of actor; for metrics. */
export type Happening = 'restarted' | 'escalated' | 'deadLetter' | 'quarantined';

export class RuntimeCounts {
  readonly #counts = new Map<Happening, Map<string, number>>();

  /** `actor`: its full name, `<kind>/<id>`; ids are not counted apart, for there is no end of them. */
  add(happening: Happening, actor: string): void {
    const [kind = actor] = actor.split('/');
    const counts = this.#counts.get(happening) ?? new Map<string, number>();
    this.#counts.set(happening, counts.set(kind, (counts.get(kind) ?? 0) + 1));
  }

  of(happening: Happening): ReadonlyMap<string, number> {
    return this.#counts.get(happening) ?? new Map();
  }
}
