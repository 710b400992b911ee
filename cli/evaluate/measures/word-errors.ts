/**
 * Errors of a text against the text that is right: the least number of substitutions, deletions and insertions (V. I. Levenshtein 1966),
 * divided by the words or characters of the right one.
 */
import { share } from './box-matching.ts';

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

export const wordErrors = (wanted: string, found: string): TextErrors =>
  errorsBetween(wordsOf(wanted), wordsOf(found));

/** Spaces count. */
export const characterErrors = (wanted: string, found: string): TextErrors =>
  errorsBetween(Array.from(wanted), Array.from(found));

function errorsBetween(wanted: readonly string[], found: readonly string[]): TextErrors {
  const numbers = new Map<string, number>();
  const numbered = (texts: readonly string[]) =>
    Int32Array.from(texts, (text) => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    });
  const { errors, substitutions } = fewestErrors(numbered(wanted), numbered(found));
  // What is left out makes the text shorter, what is put in makes it longer.
  const others = errors - substitutions;
  const deletions = (others + wanted.length - found.length) / 2;
  return {
    wanted: wanted.length,
    found: found.length,
    substitutions,
    deletions,
    insertions: others - deletions,
    errorRate: share(errors, wanted.length),
  };
}

/** Where there are few errors only what lies near the diagonal needs a look (E. Ukkonen 1985): the band widens until they fit in it. */
function fewestErrors(wanted: Int32Array, found: Int32Array): { errors: number; substitutions: number } {
  const longest = Math.max(wanted.length, found.length);
  for (let band = Math.max(64, Math.abs(wanted.length - found.length) + 1); ; band *= 4) {
    const within = errorsWithin(wanted, found, Math.min(band, longest));
    if (within.errors <= band || band >= longest) return within;
  }
}

/** Of the ways with the fewest errors one with the fewest substitutions. `band`: how far from the diagonal. */
function errorsWithin(wanted: Int32Array, found: Int32Array, band: number) {
  const far = wanted.length + found.length + 1;
  let errors = Int32Array.from({ length: found.length + 1 }, (_, j) => (j <= band ? j : far));
  let substitutions = new Int32Array(found.length + 1);
  let nextErrors = new Int32Array(found.length + 1);
  let nextSubstitutions = new Int32Array(found.length + 1);
  for (let i = 1; i <= wanted.length; i++) {
    const first = Math.max(1, i - band);
    const last = Math.min(found.length, i + band);
    nextErrors[first - 1] = first === 1 && i <= band ? i : far;
    nextSubstitutions[first - 1] = 0;
    // The row before has no such column in its band.
    if (i + band <= found.length) errors[last] = far;
    for (let j = first; j <= last; j++) {
      const differs = wanted[i - 1] === found[j - 1] ? 0 : 1;
      let least = errors[j - 1]! + differs;
      let replaced = substitutions[j - 1]! + differs;
      if (errors[j]! + 1 < least || (errors[j]! + 1 === least && substitutions[j]! < replaced)) {
        least = errors[j]! + 1;
        replaced = substitutions[j]!;
      }
      const put = nextErrors[j - 1]! + 1;
      if (put < least || (put === least && nextSubstitutions[j - 1]! < replaced)) {
        least = put;
        replaced = nextSubstitutions[j - 1]!;
      }
      nextErrors[j] = least;
      nextSubstitutions[j] = replaced;
    }
    [errors, nextErrors] = [nextErrors, errors];
    [substitutions, nextSubstitutions] = [nextSubstitutions, substitutions];
  }
  return { errors: errors[found.length]!, substitutions: substitutions[found.length]! };
}
