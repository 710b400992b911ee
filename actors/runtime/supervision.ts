/**
 * Supervision settings: one for one, at most `restarts` failures within `withinMs`, with exponential back-off between
 * them. One more failure is escalated (the rule of OTP's supervisors).
 */
export interface RestartIntensity {
  readonly restarts: number;
  readonly withinMs: number;
  /** Delay before the first restart. It doubles with each further restart, up to `maxDelayMs`. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
}

export type Verdict = { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'escalate' };

export const DEFAULT_INTENSITY: RestartIntensity = {
  restarts: 3,
  withinMs: 60_000,
  delayMs: 50,
  maxDelayMs: 2_000,
};

/** Decides what follows the failure at `at`. Returns the failures to remember. */
export function onFailure(
  failures: readonly number[],
  at: number,
  intensity: RestartIntensity,
): { readonly failures: readonly number[]; readonly verdict: Verdict } {
  const recent = [...failures.filter((time) => at - time < intensity.withinMs), at];
  if (recent.length > intensity.restarts) return { failures: recent, verdict: { kind: 'escalate' } };
  return { failures: recent, verdict: { kind: 'restart', delayMs: backOff(recent.length, intensity) } };
}

/** Returns the milliseconds before the restart after the n-th failure. */
export function backOff(n: number, { delayMs, maxDelayMs }: RestartIntensity): number {
  return Math.min(delayMs * 2 ** (n - 1), maxDelayMs);
}
