/** Numbers that networks return as logits of a distribution over 0, 1, 2 ...: each number is the mean of its distribution. */

/** Returns the mean of a distribution over `bins` numbers. Its logits begin at `first`. */
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
