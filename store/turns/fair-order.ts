/** The rules of fair shares among users: pure, and the same for every ledger. */
import { LEDGER_LIMITS } from '../ledger-limits.ts';

/** A user with waiting items in one queue at one priority. */
export interface Place {
  /** Share of the queue, in proportion to the weights of other users. */
  readonly weight: number;
  /** Items of this queue, of any priority, that workers hold. */
  readonly held: number;
  /** Virtual time of the user's next turn. It grows with each turn by a stride, which is shorter for a higher weight. */
  readonly pass: number;
  /** Unique. A lower number means an earlier last turn. */
  readonly turn: number;
}

/** Virtual time between two turns of a user. */
export const strideOf = (weight: number): number => Math.round(LEDGER_LIMITS.STRIDE / weight);

/** Compares users of one weight. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.held - b.held || a.pass - b.pass || a.turn - b.turn;

/**
 * Returns the user of the next turn. A user waits if another user with one item more would still hold less in proportion to the weights.
 * Of the other users, the one with the lowest pass is next.
 * @param firsts for each weight the first user in the order of `comparePlaces`
 */
export function nextPlace<P extends Place>(firsts: readonly P[]): P | undefined {
  if (firsts.length < 2) return firsts[0];
  const limit = Math.min(...firsts.map(({ held, weight }) => (held + 1) / weight));
  return firsts
    .filter(({ held, weight }) => held / weight < limit)
    .reduce((best, one) => ((one.pass - best.pass || one.turn - best.turn) < 0 ? one : best));
}

/**
 * Counts the items of other users before item number `rank` (from 0) of a user, if no item ends meanwhile. The count is exact if all
 * weights are equal. Otherwise it may be off by some items.
 * @param time the virtual time of the last turn
 */
export function countAhead(
  others: Iterable<Place & { readonly waiting: number }>,
  mine: Place,
  rank: number,
  time: number,
): number {
  let ahead = 0;
  for (const other of others)
    if (other.turn !== mine.turn) ahead += Math.min(other.waiting, turnsBefore(other, mine, rank, time));
  return ahead;
}

/** Number of turns that another user has before turn number `rank` of this user. */
function turnsBefore(other: Place, mine: Place, rank: number, time: number): number {
  const scale = other.weight / mine.weight;
  const least = Math.floor(scale * (mine.held + rank)) - other.held;
  const most = Math.ceil(scale * (mine.held + rank + 1)) - other.held;
  const lead = Math.max(mine.pass, time) + rank * strideOf(mine.weight) - Math.max(other.pass, time);
  const exact = lead / strideOf(other.weight);
  const isTie = exact === rank ? (other.pass - mine.pass || other.turn - mine.turn) < 0 : exact < rank;
  const byPass = Number.isInteger(exact) ? exact + (isTie ? 1 : 0) : Math.ceil(exact);
  return Math.max(0, least, Math.min(most, byPass));
}
