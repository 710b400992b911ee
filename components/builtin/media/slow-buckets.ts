/**
 * A bucket that does not answer costs minutes a file. All sub-jobs of this process share what they learn: after three
 * such files in a row, the process skips the bucket for a while, because a job of thousands of media would otherwise
 * wait for days. A bucket that refuses at once is tried every time: its keys and rights may have been corrected.
 */

/** A file that failed after so long was kept waiting, not refused. */
const SLOW_MS = 5_000;
const REST_MS = 60_000;
const FAILURES_IN_A_ROW = 3;
const REMEMBERED = 1_000;

interface Outage {
  readonly failures: number;
  readonly reason: unknown;
  /** Until when it is left alone, by the steady clock. */
  readonly until: number;
}

interface Options {
  readonly slowMs?: number;
  /** Steady clock, milliseconds. */
  readonly now?: () => number;
}

export class SlowBuckets {
  readonly #outages = new Map<string, Outage>();
  readonly #slowMs: number;
  readonly #now: () => number;

  constructor({ slowMs = SLOW_MS, now = () => performance.now() }: Options = {}) {
    this.#slowMs = slowMs;
    this.#now = now;
  }

  /** Puts a file into the bucket; while that is left alone it fails at once with the reason of the last file. */
  async use<T>(bucket: string, store: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const known = this.#outages.get(bucket);
    const began = this.#now();
    if (known !== undefined && known.failures >= FAILURES_IN_A_ROW && began < known.until) throw known.reason;
    try {
      const stored = await store();
      this.#outages.delete(bucket);
      return stored;
    } catch (error) {
      if (!signal.aborted) this.#noteFailure(bucket, error, this.#now() - began);
      throw error;
    }
  }

  #noteFailure(bucket: string, reason: unknown, tookMs: number): void {
    if (tookMs < this.#slowMs) {
      this.#outages.delete(bucket);
      return;
    }
    const failures = (this.#outages.get(bucket)?.failures ?? 0) + 1;
    if (this.#outages.size >= REMEMBERED) this.#outages.clear();
    this.#outages.set(bucket, { failures, reason, until: this.#now() + REST_MS });
  }
}
