/** The rules of fair shares among users: pure, and the same for every ledger. */
import { LEDGER_LIMITS } from '../ledger-limits.ts';

/** A user with items that wait in one queue at one priority. */
export interface Place {
  /** Of the queue's places, as a proportion to the weights of others. */
  readonly weight: number;
  /** Items of this queue, of any priority, that workers hold. */
  readonly held: number;
  /** Virtual time of the user's next turn. It grows with each turn by a stride, which is shorter the higher the weight. */
  readonly pass: number;
  /** Unique; the lower one had its last turn earlier. */
  readonly turn: number;
}

/** How much later the next turn of a user is. */
export const strideOf = (weight: number): number => Math.round(LEDGER_LIMITS.STRIDE / weight);

/** The order of users with one weight. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.held - b.held || a.pass - b.pass || a.turn - b.turn;

/**
 * Whose turn it is. A user waits while another, with one item more, would still hold less in proportion to the weights. Among the rest
 * it is the turn of the lowest pass.
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
 * How many items of others come before item number `rank` (from 0) of a user, if no item ends meanwhile. Exact when all weights are
 * equal; else it may differ by some items.
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

/** How many turns another user has before turn number `rank` of mine. */
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
