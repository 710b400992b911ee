/** Frames of four months at ten a second: a larger number is none of a frame. */
export const LAST_FRAME = 100_000_000;

/** Numbers of ids or names from 0 on, in the order in which they are met first. */
export class Numbers<Id = string> {
  readonly #numbers = new Map<Id, number>();

  get ids(): readonly Id[] {
    return [...this.#numbers.keys()];
  }

  of(id: Id): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(id, number);
    return number;
  }
}
