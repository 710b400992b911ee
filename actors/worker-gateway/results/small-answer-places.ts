/** Which small answers are stored in a file of their job, and where in it. */
import type { Place } from '../../../results/lines.ts';
import type { Checked } from './sent-answer.ts';

/** The place of an answer that has no lines to be read, in a file that need not be there. */
export const NOWHERE: Place = { offset: 0, bytes: 0 };

/**
 * Whether its lines are read again: they say more than the row of the sub-job keeps, such as tracks and tables of frame times. All else
 * needs no file, which would have to be synced before the job takes the answer in.
 */
export function isReadAgain({ said, answer: { lines = '' } }: Pick<Checked, 'said' | 'answer'>): boolean {
  if ('type' in said || lines === '') return false;
  if ('fetched' in said) return false;
  return said.kind !== 'PREPARE' || said.prepared.facts.frameTimes !== undefined;
}

/** Where answers lie that are written one after the other. */
export function placesOf<A extends Pick<Checked, 'answer'>>(kept: readonly A[]): ReadonlyMap<A, Place> {
  let end = 0;
  return new Map(
    kept.map((one) => {
      const bytes = Buffer.byteLength(one.answer.lines ?? '');
      return [one, { offset: (end += bytes) - bytes, bytes }];
    }),
  );
}
