/**
 * Errors of a text compared with the correct text: the minimum number of substitutions, deletions and insertions (V. I. Levenshtein 1966),
 * divided by the number of words or characters of the correct text.
 */
import { Numbers } from '../numbers.ts';
import { ratioOf } from './ratio.ts';

export interface TextErrors {
  /** Number of words or characters in the truth and in the found text. */
  readonly wanted: number;
  readonly found: number;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  /** Sum of the three errors divided by `wanted`. It exceeds 1 if there are more errors than words. Null if the truth is empty. */
  readonly errorRate: number | null;
}

/**
 * Normalizes case, punctuation and forms of characters: NFKC, lower case. Apostrophes within words stay. All other signs separate words.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2019\u02bc]/g, "'")
    .replaceAll(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();
}

/** Returns the unchanged text with single spaces. */
export const spacedText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const wordsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

/** Compares words. Returns undefined if there are more than `most` errors. */
export const wordErrors = (wanted: string, found: string, most = Infinity): TextErrors | undefined =>
  errorsBetween(wordsOf(wanted), wordsOf(found), most);

/** Compares characters, including spaces. */
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
  // Deletions make the text shorter, and insertions make it longer.
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

/**
 * The furthest position in the truth on each diagonal of the table of both texts after a number of errors, and the number of substitutions.
 */
interface Front {
  readonly reach: Int32Array;
  readonly substitutions: Int32Array;
}
const NOWHERE = -1;

/**
 * Follows the diagonals of the table of both texts, with one more error in each step (E. Ukkonen 1985). The time depends on the number of
 * errors, not on the length of the texts. Of two equally long paths, the one with fewer substitutions continues.
 */
function fewestErrors(wanted: Int32Array, found: Int32Array, most: number) {
  if (Math.abs(wanted.length - found.length) > most) return undefined;
  // The diagonals go from -wanted.length to found.length, with one unreachable diagonal on either side.
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

/** Returns the position on a diagonal after one more error: substitution, deletion or insertion. `most`: end of the diagonal. */
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
