/** A longer step between two timestamps counts as a jump of the sender's clock. */
const LONGEST_STEP_MS = 10_000;

/**
 * Milliseconds since the first frame, never falling. Steps are those of the sender's timestamps, which are even when the network is
 * not. Where these jump, fall or are missing, and after a reconnection, our own clock counts.
 */
export class MediaClock {
  #time = 0;
  #stamp: number | undefined;
  #at: number | undefined;

  /** `stamp`: the sender's time of the frame in milliseconds; `at`: when it came by our clock, which is never set back. */
  next(stamp: number | undefined, at: number): number {
    const byStamp = stamp === undefined || this.#stamp === undefined ? NaN : stamp - this.#stamp;
    const byClock = Math.max(0, at - (this.#at ?? at));
    this.#time += byStamp > 0 && byStamp <= LONGEST_STEP_MS ? byStamp : byClock;
    this.#stamp = stamp;
    this.#at = at;
    return Math.floor(this.#time + 1e-6);
  }

  /** The next timestamp comes from a connection of its own. */
  newConnection(): void {
    this.#stamp = undefined;
  }
}
