/** Maximum frame number: four months at ten frames per second. A larger number is an error. */
export const LAST_FRAME = 100_000_000;

/** Assigns numbers from 0 to ids or names, in the order of their first occurrence. */
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
