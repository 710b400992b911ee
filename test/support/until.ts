/** Waiting for what is to happen: no test sleeps for a time that somebody guessed. */

/** Waits are for a quiet machine; a busy one is as sound, and takes longer. */
const PATIENCE = 3;

/** Between two looks at first, and at most. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
/** Of the time that was waited already. */
const PAUSE = 0.1;

export interface WaitOptions {
  readonly withinMs?: number;
  /** Absent: often at first, then less often. A look takes some milliseconds of two processes, and all files of tests wait at a time. */
  readonly everyMs?: number;
}

/**
 * Looks again and again until what it sees `holds`, and answers it. What was awaited, and what was seen last, stand in
 * the message when it does not come.
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

/** The promise's outcome, or an error that says what was awaited when it takes too long. */
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
