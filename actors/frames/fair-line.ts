/** A queue for a few places that many users want: users are served in turn, however many requests each has. */
export class FairLine {
  readonly #places: number;
  readonly #most: number;
  #taken = 0;
  /** What each has, taken or waiting. */
  readonly #counts = new Map<string, number>();
  /** Those who wait, by who they are; the one that had a place longest ago stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `most`: of one, those that it has and those that it waits for. */
  constructor(places: number, most: number) {
    this.#places = places;
    this.#most = most;
  }

  /** Does the work when there is a place; undefined: `who` has as many already, or was told to give up before its turn came. */
  async run<T>(who: string, giveUp: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#most) return undefined;
    this.#counts.set(who, count + 1);
    try {
      if (!(await this.#enter(who, giveUp))) return undefined;
      try {
        return await work();
      } finally {
        this.#leave();
      }
    } finally {
      this.#countDown(who);
    }
  }

  #enter(who: string, giveUp: AbortSignal): Promise<boolean> {
    if (giveUp.aborted) return Promise.resolve(false);
    if (this.#taken < this.#places) {
      this.#taken++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const turn = () => {
        giveUp.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        this.#remove(who, turn);
        resolve(false);
      };
      this.#waiting.set(who, [...(this.#waiting.get(who) ?? []), turn]);
      giveUp.addEventListener('abort', leave, { once: true });
    });
  }

  /** The place goes to the next one, if anybody waits. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    const [who, [turn, ...others]] = next;
    this.#waiting.delete(who);
    if (others.length > 0) this.#waiting.set(who, others);
    turn?.();
  }

  #remove(who: string, turn: () => void): void {
    const others = (this.#waiting.get(who) ?? []).filter((one) => one !== turn);
    if (others.length > 0) this.#waiting.set(who, others);
    else this.#waiting.delete(who);
  }

  #countDown(who: string): void {
    const count = (this.#counts.get(who) ?? 1) - 1;
    if (count > 0) this.#counts.set(who, count);
    else this.#counts.delete(who);
  }
}
