/**
 * Waiting jobs with the lowest score on top (a leftist heap). It is immutable: adding or removing an entry shares the rest with the earlier
 * heap, in logarithmic time.
 */
export interface ScoreHeap {
  readonly jobNumber: number;
  readonly score: number;
  /** Distance to the nearest free place below. It is never larger on the right than on the left. */
  readonly rank: number;
  readonly left: ScoreHeap | null;
  readonly right: ScoreHeap | null;
}

export const withScore = (heap: ScoreHeap | null, jobNumber: number, score: number): ScoreHeap =>
  joinHeaps(heap, { jobNumber, score, rank: 1, left: null, right: null })!;

/** Returns the heap without its lowest entry. */
export const withoutLowest = ({ left, right }: ScoreHeap): ScoreHeap | null => joinHeaps(left, right);

export function heapOf(waiting: Iterable<readonly [jobNumber: number, score: number]>): ScoreHeap | null {
  let heap: ScoreHeap | null = null;
  for (const [jobNumber, score] of waiting) heap = withScore(heap, jobNumber, score);
  return heap;
}

/** Joins two heaps. It descends only on the right sides, which are short. */
function joinHeaps(one: ScoreHeap | null, other: ScoreHeap | null): ScoreHeap | null {
  if (one === null || other === null) return one ?? other;
  const [top, rest] = one.score <= other.score ? [one, other] : [other, one];
  const below = joinHeaps(top.right, rest)!;
  const { left } = top;
  const [larger, smaller] = left !== null && left.rank >= below.rank ? [left, below] : [below, left];
  return { ...top, left: larger, right: smaller, rank: (smaller?.rank ?? 0) + 1 };
}
