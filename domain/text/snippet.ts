import { phrasesOf, wordsIn, type PlacedWord, type SearchPhrase, type SearchTerm } from './words.ts';

/** A part of a text with the positions of search terms. */
export interface Snippet {
  readonly text: string;
  /** From start (inclusive) to end (exclusive), in UTF-16 code units of `text`; in order, without overlaps. */
  readonly marks: readonly Mark[];
}
export interface Mark {
  readonly start: number;
  readonly end: number;
}

const MORE = '…';

/** The text around the first occurrence of a term, with about `length` characters. Without an occurrence, the beginning. */
export function snippetOf(text: string, terms: readonly SearchTerm[], length: number): Snippet {
  const found = marksIn(text, terms, length);
  const first = found[0]?.start ?? 0;
  if (text.length <= length) return { text, marks: joinMarks(found) };
  const start = first <= length / 3 ? 0 : wordStart(text, Math.floor(first - length / 3), first);
  const end = wordEnd(text, start + length, Math.max(start, found[0]?.end ?? 0));
  const lead = start > 0 ? MORE : '';
  const shift = lead.length - start;
  const marks = joinMarks(found.filter((mark) => mark.end <= end)).map((mark) => ({
    start: mark.start + shift,
    end: mark.end + shift,
  }));
  return { text: `${lead}${text.slice(start, end)}${end < text.length ? MORE : ''}`, marks };
}

/** Positions of terms, from the first occurrence to the end of the snippet. */
function marksIn(text: string, terms: readonly SearchTerm[], length: number): readonly Mark[] {
  const marks: Mark[] = [];
  const phrases = phrasesOf(terms);
  if (phrases.length === 0) return marks;
  const longest = Math.max(...phrases.map(({ words }) => words.length));
  const seen: PlacedWord[] = [];
  for (const word of wordsIn(text)) {
    if (marks[0] !== undefined && word.start > marks[0].start + length) break;
    seen.push(word);
    if (seen.length > longest) seen.shift();
    for (const phrase of phrases) {
      const first = seen.length - phrase.words.length;
      if (first >= 0 && standsAt(seen, first, phrase))
        marks.push({ start: seen[first]!.start, end: word.end });
    }
  }
  return marks.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function standsAt(seen: readonly PlacedWord[], first: number, { words, prefix }: SearchPhrase): boolean {
  return words.every((word, at) => {
    const found = seen[first + at]!.word;
    return found === word || (prefix && at === words.length - 1 && found.startsWith(word));
  });
}

function joinMarks(marks: readonly Mark[]): readonly Mark[] {
  const found: Mark[] = [];
  for (const mark of marks) {
    const last = found.at(-1);
    if (last === undefined || mark.start >= last.end) found.push(mark);
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, mark.end) };
  }
  return found;
}

/** Maximum distance at which a space is searched for. */
const NEAR = 30;
const BLANK = /\s/;

/** The position after the next space, but not after `most`, and never inside a character. */
function wordStart(text: string, from: number, most: number): number {
  for (let at = from; at < Math.min(from + NEAR, most); at++) if (BLANK.test(text[at]!)) return at + 1;
  return isInside(text, from) ? from - 1 : from;
}

/** The position before the last space, but not before `least`. */
function wordEnd(text: string, from: number, least: number): number {
  const to = Math.max(from, least);
  if (to >= text.length) return text.length;
  for (let at = to; at > Math.max(to - NEAR, least); at--) if (BLANK.test(text[at]!)) return at;
  return isInside(text, to) ? to + 1 : to;
}

const isInside = (text: string, at: number) => /[\uDC00-\uDFFF]/.test(text[at] ?? '');
