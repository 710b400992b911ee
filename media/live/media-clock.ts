/** Maximum step between two timestamps. A longer step counts as a jump of the sender's clock. */
const LONGEST_STEP_MS = 10_000;

/**
 * Milliseconds since the first frame, never falling. Steps come from the sender's timestamps, which are even when the network is not. If
 * timestamps jump, fall or are missing, and after a reconnection, the local clock is used.
 */
export class MediaClock {
  #time = 0;
  #stamp: number | undefined;
  #at: number | undefined;

  /** Returns the time of the next frame. `stamp`: the sender's time in milliseconds; `at`: arrival time by the local monotonic clock. */
  next(stamp: number | undefined, at: number): number {
    const byStamp = stamp === undefined || this.#stamp === undefined ? NaN : stamp - this.#stamp;
    const byClock = Math.max(0, at - (this.#at ?? at));
    this.#time += byStamp > 0 && byStamp <= LONGEST_STEP_MS ? byStamp : byClock;
    this.#stamp = stamp;
    this.#at = at;
    return Math.floor(this.#time + 1e-6);
  }

  /** Notes a new connection, whose timestamps are not comparable with earlier ones. */
  newConnection(): void {
    this.#stamp = undefined;
  }
}
