/** Retries requests that may succeed later. */
import { setTimeout as pause } from 'node:timers/promises';

export interface RetryPolicy {
  /** Maximum number of attempts; 4 if absent. */
  readonly attempts?: number | undefined;
  /** Pause before the second attempt, doubling with each; 1 s if absent. */
  readonly backOffMs?: number | undefined;
  /** True if another attempt may succeed. */
  readonly isPassing: (error: unknown) => boolean;
}

/** Errors: that of the last attempt, or the reason of the signal. */
export async function repeatedly<T>(
  attempt: () => Promise<T>,
  { attempts = 4, backOffMs = 1_000, isPassing }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (number === attempts || signal?.aborted === true || !isPassing(error)) throw error;
      await pause(backOffMs * 2 ** (number - 1), undefined, signal && { signal });
    }
  }
}
