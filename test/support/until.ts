/** Waiting for conditions. No test sleeps for a fixed time. */

/** Time limits are made for a quiet machine. On a busy machine they are longer. */
const PATIENCE = 3;

/** The first and the longest interval between two checks. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
/** The interval as a part of the time waited so far. */
const PAUSE = 0.1;

export interface WaitOptions {
  readonly withinMs?: number;
  /** Absent: short at first, then longer. A check costs some milliseconds of CPU time in two processes. */
  readonly everyMs?: number;
}

/**
 * Repeats `look` until its result meets `holds`, and returns the result.
 * @throws Error with `what` and the last result after the time limit
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean = Boolean,
  { withinMs: usualMs = 30_000, everyMs }: WaitOptions = {},
): Promise<T> {
  const withinMs = usualMs * PATIENCE;
  const started = performance.now();
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    const waited = performance.now() - started;
    if (waited > withinMs)
      throw new Error(`Waited ${withinMs} ms in vain until ${what}; seen last: ${describeSeen(seen)}`);
    await pause(everyMs ?? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, PAUSE * waited)));
  }
}

/** Returns the result of the promise. @throws Error with `what` after the time limit */
export async function within<T>(usualMs: number, what: string, promise: Promise<T>): Promise<T> {
  const withinMs = usualMs * PATIENCE;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${withinMs} ms in vain until ${what}`)), withinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function describeSeen(seen: unknown): string {
  const text = JSON.stringify(seen) ?? String(seen);
  return text.length > 1_000 ? `${text.slice(0, 1_000)}...` : text;
}
