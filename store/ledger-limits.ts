/** Numbers that the ledger in memory and the Redis scripts share. */
export const LEDGER_LIMITS = {
  /** Number of remembered tokens with an accepted answer. A repeated answer gets the first reply; a different answer is refused. */
  REMEMBERED: 1_000,
  /** Number of items that a claim with `inTurn` may get even if they are more than half of the waiting ones. */
  FEW: 16,
  /** Number of times that an item can be released. After that, a release costs an attempt. */
  MAX_RELEASES: 20,
  /** Virtual time between two turns of a user with weight 1. It is divisible by 1 to 16, so that the shares of these weights are exact. */
  STRIDE: 720_720,
  /** The lowest is 0. */
  HIGHEST_PRIORITY: 9,
} as const;
