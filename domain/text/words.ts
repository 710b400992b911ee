/**
 * Words of the search. Queries and findings are normalized in the same way, so case, accents and Unicode forms do not matter. Scripts
 * without spaces between words are read character by character, and searched as phrases.
 */

/** Consecutive words. The last one may be only a prefix. */
export interface SearchPhrase {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** A required phrase, with its alternatives. */
export interface SearchTerm extends SearchPhrase {
  readonly or?: readonly SearchPhrase[];
}

/** A word in a text with its position in UTF-16 code units. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** A character of a script without spaces, or consecutive letters, combining marks and digits. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}\p{Co}])+/gu;
/** Accents of Latin, Greek, Cyrillic, Hebrew and Arabic. Vowel signs of other scripts count as letters. */
const ACCENTS = /(?=\p{Script=Inherited})\p{M}/gu;
/** Number of characters of a word that are compared. */
const LONGEST_WORD = 128;
/** Minimum length of a prefix. Shorter ones would match nearly everything. */
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

/** The normalized name of a class or a type, for comparisons. */
export const foldedName = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/** Separates alternative phrases. Upper case only, because `or` is also a word. */
const OR = 'OR';

/** The terms of a query: words, "phrases" and prefixes*. All of them are required, but of those joined by OR one is sufficient. */
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

/** All phrases of the terms, in order. */
export const phrasesOf = (terms: readonly SearchTerm[]): readonly SearchPhrase[] =>
  terms.flatMap((term) => [term, ...(term.or ?? [])]);

function foldCase(found: string): readonly string[] {
  const word = found.length > LONGEST_WORD ? found.slice(0, LONGEST_WORD) : found;
  if (/^[\x30-\x39a-z]+$/.test(word)) return [word];
  const lower = word.normalize('NFKD').toLowerCase().normalize('NFKD').replace(ACCENTS, '');
  const plain = lower.normalize('NFKC').replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  // One character may be normalized to several words, or to none.
  return plain.match(WORDS) ?? [];
}
