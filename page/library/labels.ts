/** Findings in plain words. */
import { count } from '../kit/format.ts';
import { TEXT } from '../kit/text.ts';

const WORDS: Readonly<Record<string, readonly [string, string]>> = TEXT.findings;

interface Named {
  readonly type: string;
  readonly class: string | null;
}

/** Returns the key of colour and words: the class, else the type. */
export const keyOf = ({ type, class: name }: Named): string => (name ?? type).toLowerCase();

/** Returns a text such as `3 people`. */
export function findingText({ tracks, ...named }: Named & { readonly tracks: number }): string {
  const [one, many] = wordsOf(named);
  return `${count(tracks)} ${tracks === 1 ? one : many}`;
}

interface Found {
  readonly findings: readonly (Named & { readonly tracks: number })[];
  readonly people: number | null;
}

/** Returns the findings of a medium. Grouped faces are counted as people. */
export const withPeople = ({ findings, people }: Found): Found['findings'] =>
  people === null || people === 0
    ? findings
    : findings.map((one) => (one.type === 'FACE' ? { type: 'PEOPLE', class: null, tracks: people } : one));

const TITLES: Readonly<Record<string, string>> = TEXT.findingTitles;

/** Returns a heading such as `People`. */
export function findingTitle(named: Named): string {
  const title = TITLES[keyOf(named)];
  if (title !== undefined) return title;
  const [, many] = wordsOf(named);
  return many.charAt(0).toUpperCase() + many.slice(1);
}

/** Returns a singular name such as `Person`. */
export function findingName(named: Named): string {
  const [one] = wordsOf(named);
  return one.charAt(0).toUpperCase() + one.slice(1);
}

function wordsOf(named: Named): readonly [string, string] {
  const key = keyOf(named);
  const known = WORDS[key];
  if (known !== undefined) return known;
  const word = key.replaceAll('_', ' ');
  return [word, /[sxz]$|[cs]h$/.test(word) ? `${word}es` : `${word}s`];
}

/** Names of the kinds of media. */
export const MEDIA_KIND: Readonly<Record<string, string>> = TEXT.mediaKind;
/** Names of the kinds of media in filters. */
export const MEDIA_KINDS: Readonly<Record<string, string>> = TEXT.mediaKinds;
