/** Chooses the frame of a medium for its small picture. */

/** Maximum number of exemplars with a box from which the frame is chosen. */
export const MOST_EXEMPLARS = 200;

/** The frame of the most certain exemplars; 0 if there are none. */
export function shownFrame(
  exemplars: readonly { readonly frame: number; readonly confidence: number }[],
): number {
  const certainty = new Map<number, number>();
  for (const { frame, confidence } of exemplars)
    certainty.set(frame, (certainty.get(frame) ?? 0) + Math.max(0, confidence) + 1);
  let best = 0;
  for (const [frame, sum] of certainty) if (sum > (certainty.get(best) ?? 0)) best = frame;
  return best;
}
