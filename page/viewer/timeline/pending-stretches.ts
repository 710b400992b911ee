/** Parts of a medium that a running job has not finished. */
import type { ActionProgress } from '../../kit/findings/types.ts';

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `timeOf`: returns the time of a frame in milliseconds. */
export function pendingStretches(
  { state, unit, done }: ActionProgress,
  lengthMs: number,
  timeOf: (frame: number) => number,
): readonly Stretch[] {
  if (state === 'DONE') return [];
  const toMs = (at: number) => (unit === 'FRAMES' ? timeOf(at) : at);
  const pending: Stretch[] = [];
  let fromMs = 0;
  for (const { start, stop } of done) {
    if (toMs(start) > fromMs) pending.push({ fromMs, toMs: toMs(start) });
    fromMs = Math.max(fromMs, toMs(stop + 1));
  }
  return fromMs < lengthMs ? [...pending, { fromMs, toMs: lengthMs }] : pending;
}
