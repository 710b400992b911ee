/** Pauses between attempts when several servers change one actor at the same time. */
import { createHash } from 'node:crypto';
import type { VersionConflict } from '../../store/store.ts';
import { delay, type Clock } from '../basics/clock.ts';
import { TransientError } from '../basics/errors.ts';

/** Time during which a command is retried when other servers commit first. */
const CONFLICTS_MS = 10_000;
/** The first pause for kinds of actors that several servers change often. */
export const FIRST_PAUSE_MS = 3;
const LONGEST_PAUSE_MS = 250;

/**
 * Returns a function that pauses before the next attempt. Meanwhile, other servers process several commands together. From the second
 * attempt on, each server waits for a different time, so that they stop colliding.
 * @param firstMs pause before the second attempt; 0 for none, because the conflict has usually passed
 * @throws TransientError after too long
 */
export function inBetween(
  clock: Clock,
  who: string,
  firstMs: number,
): (conflict: VersionConflict, version: number) => Promise<void> {
  const until = clock.steady() + CONFLICTS_MS;
  let longest = 0;
  return async (conflict, version) => {
    if (clock.steady() >= until)
      throw new TransientError('Others changed the state again and again.', { cause: conflict });
    const pause = longest === 0 ? firstMs : shareOf(`${who} ${version} ${longest}`) * longest;
    if (pause > 0) await delay(clock, pause);
    longest = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * longest));
  };
}

/** Returns a number from 0 to 1 that looks random but is always the same for the same text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
