/**
 * Detects text in a script that the network does not know (Cyrillic, Greek, Arabic ...). The network reads each letter as the most similar
 * Latin letter, digit or sign, so capitals and digits appear within words. Pure.
 */

/** Minimum confidence of readings that are accepted unchanged. Names like iPhone and McDonald are read with high confidence. */
const CERTAIN = 0.975;
/** Minimum number of letters in a word that is checked. */
const LEAST_LETTERS = 3;
/** Maximum length of most codes of capitals and digits ... */
const LONGEST_CODE = 6;
/** ... unless at least this share are digits, as in a vehicle's number. */
const CODE_DIGITS = 1 / 3;
/** Minimum number of capitals that are no word. Long lower-case words may only have lost their spaces. */
const LONGEST_CAPITALS = /^\p{Lu}{25}/u;

/** Units and abbreviations with capitals in the middle. */
const SHORT_FORM =
  /^(?:[kMGT]?Hz|[kMGT]Wh?|[kMGT]VA|[kMGT]B|mAh?|[mk]V|kPa|mmHg|dB[AmuV]?|IPv[46]|WiFi|PhD|[BM]Sc|GmbH)$/;
/** Parts of addresses, which have no vowels. */
const ADDRESS = /^(?:https?|www)$/i;
/** The German ß is read as B. */
const SHARP_S = /(\p{Ll})B(?=\p{Ll})/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER_ALPHABET = /[\p{Script=Cyrillic}\p{Script=Greek}△]/u;
/** A capital after a lower-case letter; or a lower-case letter after two or more capitals, except for the s of a plural. */
const MIXED_CASE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}(?!$)|\p{Lu}\p{Lu}[^s\P{Ll}]$/u;
/** A digit or sign beside lower-case letters within a word. */
const WITHIN_WORD = /\p{L}[\d*|]+\p{Ll}|\p{Ll}[\d*|]+\p{L}|^\d+\p{Ll}{3}|\p{Ll}{3}\d+$/u;
/** Joined words: MPFImageLocation. */
const CAMEL_CASE = /^\p{Lu}*(?:\p{Lu}\p{Ll}{2,})+$/u;
const NO_VOWEL = /^\p{Lu}?[^aeiouy\P{Ll}]{3,}$/u;
const MANY_CONSONANTS = /[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{5}/;

/** Returns the confidence, reduced by the share of letters in words that belong to no language. */
export function plausibleConfidence(text: string, confidence: number): number {
  if (confidence >= CERTAIN) return confidence;
  let [odd, all] = [0, 0];
  for (const word of text.split(/[\s.,:;!?()[\]{}"“”'’/\\@=_+-]+/u)) {
    const letters = lettersIn(word);
    if (letters === 0 || ADDRESS.test(word) || !(LATIN.test(word) || OTHER_ALPHABET.test(word))) continue;
    all += letters;
    if (isOdd(word.replace(SHARP_S, '$1ss'), letters)) odd += letters;
  }
  return odd === 0 ? confidence : confidence * (1 - odd / all);
}

function lettersIn(word: string): number {
  return word.match(/\p{L}/gu)?.length ?? 0;
}

function isOdd(word: string, letters: number): boolean {
  if (OTHER_ALPHABET.test(word) && (LATIN.test(word) || letters >= LEAST_LETTERS)) return true;
  if (letters < LEAST_LETTERS || CAMEL_CASE.test(word) || SHORT_FORM.test(word)) return false;
  if (LONGEST_CAPITALS.test(word) || MIXED_CASE.test(word) || WITHIN_WORD.test(word)) return true;
  const digits = word.match(/\d/g)?.length ?? 0;
  if (digits >= word.length * CODE_DIGITS) return false;
  if (digits > 0) return letters > LONGEST_CODE && /\p{L}\d\p{L}/u.test(word);
  return MANY_CONSONANTS.test(word) || (letters > LEAST_LETTERS && NO_VOWEL.test(word));
}
