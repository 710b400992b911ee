/** Small answers that are stored in a file of their job, and their places in it. */
import type { Place } from '../../../results/lines.ts';
import type { Checked } from './sent-answer.ts';

/** The place of an answer without lines; its file need not exist. */
export const NOWHERE: Place = { offset: 0, bytes: 0 };

/**
 * True if the lines of an answer are read again. They then contain more than the row of the sub-job, such as tracks and frame times. Other
 * answers need no file, which would have to be synced first.
 */
export function isReadAgain({ said, answer: { lines = '' } }: Pick<Checked, 'said' | 'answer'>): boolean {
  if ('type' in said || lines === '') return false;
  if ('fetched' in said) return false;
  return said.kind !== 'PREPARE' || said.prepared.facts.frameTimes !== undefined;
}

/** Returns the places of answers that are written one after the other into a file. */
export function placesOf<A extends Pick<Checked, 'answer'>>(kept: readonly A[]): ReadonlyMap<A, Place> {
  let end = 0;
  return new Map(
    kept.map((one) => {
      const bytes = Buffer.byteLength(one.answer.lines ?? '');
      return [one, { offset: (end += bytes) - bytes, bytes }];
    }),
  );
}
