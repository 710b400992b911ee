/** Numbers that the ledger in memory and the scripts of Redis have in common. */
export const LEDGER_LIMITS = {
  /** Tokens with an accepted answer: a repeated answer gets the first reply, and another answer a refusal. */
  REMEMBERED: 1_000,
  /** So many are handed out in turn without a thought of who else may come for some. */
  FEW: 16,
  /** What is given back more often than this costs an attempt. */
  MAX_RELEASES: 20,
  /**
   * How much later the next turn of a user with weight 1 is. It can be divided by 1 to 16, so that their shares are exact.
   */
  STRIDE: 720_720,
  /** The lowest is 0. */
  HIGHEST_PRIORITY: 9,
} as const;
