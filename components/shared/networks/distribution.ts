/** Numbers that networks tell as distributions over 0, 1, 2 ... by logits: each is the mean of its distribution. */

/** The mean of the one over `bins` numbers whose logits begin at `first`. */
export function meanOf(logits: ArrayLike<number>, first: number, bins: number): number {
  let largest = -Infinity;
  for (let i = 0; i < bins; i++) largest = Math.max(largest, logits[first + i]!);
  let total = 0;
  let weighted = 0;
  for (let i = 0; i < bins; i++) {
    const weight = Math.exp(logits[first + i]! - largest);
    total += weight;
    weighted += weight * i;
  }
  return weighted / total;
}
