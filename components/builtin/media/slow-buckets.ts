/**
 * An unresponsive bucket costs minutes per file. All sub-jobs of this process share its failures. After three such files in a row, the
 * process skips the bucket for a while. Otherwise, a job with thousands of media would take days. A bucket that refuses at once is tried
 * each time, because its keys and rights may have been corrected.
 */

/** Minimum time in milliseconds of a failure that counts as a timeout instead of a refusal. */
const SLOW_MS = 5_000;
const REST_MS = 60_000;
const FAILURES_IN_A_ROW = 3;
const REMEMBERED = 1_000;

interface Outage {
  readonly failures: number;
  readonly reason: unknown;
  /** End of the pause, by the monotonic clock. */
  readonly until: number;
}

interface Options {
  readonly slowMs?: number;
  /** Monotonic clock in milliseconds. */
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

  /** Stores a file in the bucket. While the bucket is skipped, it throws the reason of the last failure at once. */
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
