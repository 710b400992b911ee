/**
 * Words as the search sees them: what is looked for and what was found are folded alike, so that case, accents and the two ways to write
 * them make no difference. Scripts that put no blanks between words are read character by character, and looked for as phrases.
 */

/** One of several words in a row, the last of which may only begin so. */
export interface SearchTerm {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** A word in a text: its place in UTF-16 code units. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** A character of a script without blanks, or letters, signs upon letters and digits in a row. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}\p{Co}])+/gu;
/** Accents of Latin, Greek, Cyrillic, Hebrew and Arabic; signs for vowels of other scripts are letters of these. */
const ACCENTS = /(?=\p{Script=Inherited})\p{M}/gu;
/** Of a longer word only so many characters are told apart. */
const LONGEST_WORD = 128;
/** Characters of a word that only begins so; with fewer nearly everything would fit. */
const SHORTEST_BEGINNING = 2;

/** The words of a text, in order. */
export function* wordsIn(text: string): Generator<PlacedWord> {
  for (const { 0: found, index: start } of text.matchAll(WORDS))
    for (const word of foldCase(found)) yield { word, start, end: start + found.length };
}

export function foldedWords(text: string): string[] {
  const found: string[] = [];
  for (const { word } of wordsIn(text)) found.push(word);
  return found;
}

/** What a class or a type is compared by. */
export const foldedName = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/** What a text asks for: words, "phrases" and beginnings*; all of them must be there. */
export function searchTerms(text: string): readonly SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [, phrase, star, plain = ''] of text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/g)) {
    const words = foldedWords(phrase ?? plain);
    if (words.length === 0) continue;
    const begins = phrase === undefined ? plain.endsWith('*') : star === '*';
    terms.push({ words, prefix: begins && words.at(-1)!.length >= SHORTEST_BEGINNING });
  }
  return terms;
}

function foldCase(found: string): readonly string[] {
  const word = found.length > LONGEST_WORD ? found.slice(0, LONGEST_WORD) : found;
  if (/^[\x30-\x39a-z]+$/.test(word)) return [word];
  const lower = word.normalize('NFKD').toLowerCase().normalize('NFKD').replace(ACCENTS, '');
  const plain = lower.normalize('NFKC').replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  // One sign may stand for several words, and for none.
  return plain.match(WORDS) ?? [];
}
