/**
 * Words as the search sees them: what is looked for and what was found are folded alike, so that case, accents and the two ways to write
 * them make no difference. Scripts that put no blanks between words are read character by character, and looked for as phrases.
 */

/** One of several words in a row, the last of which may only begin so. */
export interface SearchPhrase {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** What must be there: the phrase, or one of those that may be there instead. */
export interface SearchTerm extends SearchPhrase {
  readonly or?: readonly SearchPhrase[];
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

/** Between two phrases; in capitals, for it is a word as well. */
const OR = 'OR';

/** What a text asks for: words, "phrases" and beginnings*; all of them must be there, but of those with OR between them one is enough. */
export function searchTerms(text: string): readonly SearchTerm[] {
  const terms: (SearchPhrase & { or?: SearchPhrase[] })[] = [];
  let isOther = false;
  for (const [, phrase, star, plain = ''] of text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/g)) {
    const last = terms.at(-1);
    const words = plain === OR ? [] : foldedWords(phrase ?? plain);
    if (plain === OR) isOther = last !== undefined;
    if (words.length === 0) continue;
    const begins = phrase === undefined ? plain.endsWith('*') : star === '*';
    const found = { words, prefix: begins && words.at(-1)!.length >= SHORTEST_BEGINNING };
    if (isOther) (last!.or ??= []).push(found);
    else terms.push(found);
    isOther = false;
  }
  return terms;
}

/** Everything that is looked for, in order. */
export const phrasesOf = (terms: readonly SearchTerm[]): readonly SearchPhrase[] =>
  terms.flatMap((term) => [term, ...(term.or ?? [])]);

function foldCase(found: string): readonly string[] {
  const word = found.length > LONGEST_WORD ? found.slice(0, LONGEST_WORD) : found;
  if (/^[\x30-\x39a-z]+$/.test(word)) return [word];
  const lower = word.normalize('NFKD').toLowerCase().normalize('NFKD').replace(ACCENTS, '');
  const plain = lower.normalize('NFKC').replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  // One sign may stand for several words, and for none.
  return plain.match(WORDS) ?? [];
}
