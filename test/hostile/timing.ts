/** Numbers of repetitions: small steps first, for work that doubles with each repetition. */
const REPEATED = [...Array.from({ length: 10 }, (_, n) => 4 + 4 * n), 100, 1_000, 4_000];
/** Characters of the largest text. */
const LONGEST = 20_000;
/**
 * With the largest text, linear work takes less than a millisecond, and quadratic work about half a second.
 */
const MOST_MS = 150;

/**
 * Returns the first text for which the time grows much faster than the length, or undefined. A suspicious
 * text is timed three times, and the best time counts.
 */
export function slowText(
  work: (text: string) => unknown,
  { lead, pump, tail }: { readonly lead: string; readonly pump: string; readonly tail: string },
  most = Infinity,
): string | undefined {
  for (const times of [...REPEATED, Math.ceil(LONGEST / pump.length)]) {
    const text = lead + pump.repeat(times) + tail;
    if (text.length > most) return undefined;
    const begun = performance.now();
    work(text);
    if (performance.now() - begun <= MOST_MS) continue;
    let best = Infinity;
    for (let run = 0; run < 3 && best > MOST_MS; run++)
      best = Math.min(
        best,
        measureTime(() => work(text)),
      );
    if (best > MOST_MS)
      return `${best.toFixed(0)} ms for ${[lead, pump, tail].map((part) => JSON.stringify(part.slice(0, 60))).join(', ')}, the second one ${times} times`;
  }
  return undefined;
}

/** Milliseconds of work, limited to the processor time, because a process on a busy machine also waits. */
export function measureTime(work: () => unknown): number {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - begun, (user + system) / 1_000);
}
