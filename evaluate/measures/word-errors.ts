/**
 * Errors of a text against the text that is right: the least number of substitutions, deletions and insertions (V. I. Levenshtein 1966),
 * divided by the words or characters of the right one.
 */
import { Numbers } from '../numbers.ts';
import { ratioOf } from './ratio.ts';

export interface TextErrors {
  /** Words or characters of the truth and of what was found. */
  readonly wanted: number;
  readonly found: number;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  /** The sum of the three divided by `wanted`: above 1 where more is wrong than there is. null: the truth has none. */
  readonly errorRate: number | null;
}

/** Case, punctuation and forms of characters do not count: NFKC, small letters; apostrophes within words stay, all other signs part words. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2019\u02bc]/g, "'")
    .replaceAll(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();
}

/** The text as it stands, with one space where there is space. */
export const spacedText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const wordsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

/** undefined: they differ in more than `most`. */
export const wordErrors = (wanted: string, found: string, most = Infinity): TextErrors | undefined =>
  errorsBetween(wordsOf(wanted), wordsOf(found), most);

/** Spaces count. */
export const characterErrors = (wanted: string, found: string, most = Infinity): TextErrors | undefined =>
  errorsBetween(Array.from(wanted), Array.from(found), most);

function errorsBetween(
  wanted: readonly string[],
  found: readonly string[],
  most: number,
): TextErrors | undefined {
  const numbers = new Numbers();
  const toNumbers = (texts: readonly string[]) => Int32Array.from(texts, (text) => numbers.of(text));
  const fewest = fewestErrors(toNumbers(wanted), toNumbers(found), most);
  if (fewest === undefined) return undefined;
  const { errors, substitutions } = fewest;
  // What is left out makes the text shorter, what is put in makes it longer.
  const others = errors - substitutions;
  const deletions = (others + wanted.length - found.length) / 2;
  return {
    wanted: wanted.length,
    found: found.length,
    substitutions,
    deletions,
    insertions: others - deletions,
    errorRate: ratioOf(errors, wanted.length),
  };
}

/** How far into the truth one comes on each diagonal of the table of both texts with a number of errors, and how many of them replace. */
interface Front {
  readonly reach: Int32Array;
  readonly substitutions: Int32Array;
}
const NOWHERE = -1;

/**
 * Goes along the diagonals of the table of both texts, one error more at a time (E. Ukkonen 1985): what takes time is the errors, not
 * the texts. Of two ways that come equally far it goes on with the one that replaces less.
 */
function fewestErrors(wanted: Int32Array, found: Int32Array, most: number) {
  if (Math.abs(wanted.length - found.length) > most) return undefined;
  // The diagonals go from -wanted.length to found.length, with one more on either side that nobody reaches.
  const zero = wanted.length + 1;
  const end = zero + (found.length - wanted.length);
  const length = 1 + wanted.length + 1 + found.length + 1;
  let [before, front] = [emptyFront(length), emptyFront(length)];
  front.reach[zero] = afterEqual(wanted, found, 0, 0);
  let errors = 0;
  while (front.reach[end] !== wanted.length) {
    errors += 1;
    if (errors > most) return undefined;
    [before, front] = [front, before];
    const [first, last] = [-Math.min(errors, wanted.length), Math.min(errors, found.length)];
    for (let k = first; k <= last; k++) {
      const reached = step(before, front, zero + k, Math.min(wanted.length, found.length - k));
      if (reached >= 0) front.reach[zero + k] = afterEqual(wanted, found, reached, k);
    }
  }
  return { errors, substitutions: front.substitutions[end]! };
}

const emptyFront = (length: number): Front => ({
  reach: new Int32Array(length).fill(NOWHERE),
  substitutions: new Int32Array(length),
});

/** One error more on a diagonal: replaced, left out or put in; `most`: where the diagonal ends. */
function step(before: Front, { reach, substitutions }: Front, at: number, most: number): number {
  let [best, replaced] = [NOWHERE, 0];
  const put = before.reach[at - 1]!;
  if (put >= 0 && put <= most) [best, replaced] = [put, before.substitutions[at - 1]!];
  const left = before.reach[at + 1]! + 1;
  if (
    left > 0 &&
    left <= most &&
    (left > best || (left === best && before.substitutions[at + 1]! < replaced))
  )
    [best, replaced] = [left, before.substitutions[at + 1]!];
  const other = before.reach[at]! + 1;
  if (
    other > 0 &&
    other <= most &&
    (other > best || (other === best && before.substitutions[at]! + 1 < replaced))
  )
    [best, replaced] = [other, before.substitutions[at]! + 1];
  reach[at] = best;
  substitutions[at] = replaced;
  return best;
}

function afterEqual(wanted: Int32Array, found: Int32Array, from: number, diagonal: number): number {
  let at = from;
  while (at < wanted.length && at + diagonal < found.length && wanted[at] === found[at + diagonal]) at += 1;
  return at;
}
