/** Recognizes the languages of a text by typical letter sequences. */
import { detectAll, langName, supportedLanguages, toISO2, toISO3 } from 'tinyld/heavy';
import { letterWeight } from './script.ts';

export interface Candidate {
  /** ISO 639-3 code in capital letters. */
  readonly code: string;
  readonly name: string;
  /** Share of the text, 0 to 1. The shares of all candidates add up to 1. */
  readonly share: number;
}

/** Common codes for the recognizer's codes of languages that share a name. */
const BY_NAME: Readonly<Record<string, string>> = { cmn: 'ZHO', nob: 'NOR', pes: 'FAS', lvs: 'LAV' };
/** Languages that are excluded, because they are hardly used and random letters resemble them. */
const INVENTED = ['tlh', 'vo'];

const codeOf = (language: string): string => {
  const iso3 = toISO3(language) || language;
  return BY_NAME[iso3] ?? iso3.toUpperCase();
};

/** The codes of all languages that can be recognized. */
export const KNOWN_LANGUAGES: ReadonlyMap<string, string> = new Map(
  supportedLanguages
    .map((language) => toISO2(language) || language)
    .filter((language) => !INVENTED.includes(language))
    .map((language) => [codeOf(language), language]),
);

/** Minimum number of letters in a portion, and maximum number of portions, spread over the text. */
const PORTION_LETTERS = 30;
const MAX_PORTIONS = 200;
/** Maximum number of characters of a portion that are used. */
const MAX_PORTION = 2_000;

/**
 * Returns languages, the most likely one first; none if the text resembles none. A long text is split into portions, so that a text in two
 * languages gives both. `among`: the recognizer's names of the allowed languages.
 */
export function recognize(text: string, among: readonly string[]): readonly Candidate[] {
  const totals = new Map<string, number>();
  for (const portion of spread(portionsOf(text))) {
    const weight = letterWeight(portion);
    const found = detectAll(portion.slice(0, MAX_PORTION), { only: [...among] });
    const sum = found.reduce((total, { accuracy }) => total + accuracy, 0);
    if (sum === 0) continue;
    for (const { lang, accuracy } of found)
      totals.set(lang, (totals.get(lang) ?? 0) + (weight * accuracy) / sum);
  }
  const all = [...totals.values()].reduce((a, b) => a + b, 0);
  return [...totals]
    .map(([lang, weight]) => ({
      code: codeOf(lang),
      name: langName(toISO3(lang) || lang),
      share: weight / all,
    }))
    .toSorted((a, b) => b.share - a.share);
}

/** Returns sentences and lines, joined until they have enough letters. */
function portionsOf(text: string): readonly string[] {
  const portions: string[] = [];
  let current = '';
  for (const piece of text.split(/(?<=[.!?。！？؟।])\s+|(?<=[。！？])|\n+/)) {
    current = current === '' ? piece : `${current}\n${piece}`;
    if (current.length < PORTION_LETTERS / 3 || letterWeight(current) < PORTION_LETTERS) continue;
    portions.push(current);
    current = '';
  }
  if (current.trim() === '') return portions;
  const last = portions.pop();
  return [...portions, last === undefined ? current : `${last}\n${current}`];
}

function spread(portions: readonly string[]): readonly string[] {
  if (portions.length <= MAX_PORTIONS) return portions;
  const step = portions.length / MAX_PORTIONS;
  return Array.from({ length: MAX_PORTIONS }, (_, i) => portions[Math.floor(i * step)] ?? '');
}
