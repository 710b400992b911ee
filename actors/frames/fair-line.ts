/** A queue for a few places that many users want. Users are served in turn, however many requests each has. */
export class FairLine {
  readonly #places: number;
  readonly #most: number;
  #taken = 0;
  /** Requests of each user, running and waiting. */
  readonly #counts = new Map<string, number>();
  /** Waiting requests by user. The user whose last place was longest ago is first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `most`: running and waiting requests that one user may have. */
  constructor(places: number, most: number) {
    this.#places = places;
    this.#most = most;
  }

  /** Runs the work when a place is free. Returns undefined if `who` has too many requests, or if `giveUp` fires while the request waits. */
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

  /** Gives the place to the next waiting request, if there is one. */
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
