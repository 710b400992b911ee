/** Finds the words that give a text its tags. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RE2JS } from 're2js';
import { wordsOf, type TagRules, type Word } from './rules.ts';
import { firstIndex } from '../../../domain/first-index.ts';

/** Maximum number of places in a text that are reported per tag. */
export const MAX_TRIGGERS = 1_000;

export interface Tagged {
  readonly tag: string;
  /** Each word once, in the order of the text, with all its places: first and last character, counted from 0. */
  readonly triggers: readonly Trigger[];
}
export interface Trigger {
  readonly word: string;
  readonly places: readonly (readonly [from: number, to: number])[];
}

/** A range of JavaScript indexes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export type Tagger = (text: string) => Promise<readonly Tagged[]>;

/**
 * Interval in milliseconds at which the event loop runs. Thousands of patterns take seconds for a long text, and heartbeats must be sent.
 */
const TURN_MS = 100;

/** Returns a tagger. Tags are in the order of the rules. */
export function taggerOf(rules: readonly TagRules[]): Tagger {
  const phrases = rules.map(({ keywords }) => byFirstWord(keywords));
  return async (text) => {
    const words = wordsOf(text);
    const places = characterPlaces(text);
    const found: Tagged[] = [];
    let turnStarted = performance.now();
    for (const [i, { tag, patterns }] of rules.entries()) {
      const spans = spansOfKeywords(text, words, phrases[i] ?? new Map());
      for (const pattern of patterns) {
        for (const span of spansOfPattern(text, pattern)) spans.push(span);
        if (performance.now() - turnStarted < TURN_MS) continue;
        await yieldToEventLoop();
        turnStarted = performance.now();
      }
      const triggers = triggersOf(text, spans, places);
      if (triggers.length > 0) found.push({ tag, triggers });
    }
    return found;
  };
}

type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Groups keywords by their first word. Longer ones come first, so that they are found first. */
function byFirstWord(keywords: readonly (readonly string[])[]): Phrases {
  const map = new Map<string, (readonly string[])[]>();
  for (const words of keywords.toSorted((a, b) => b.length - a.length)) {
    const [first = ''] = words;
    map.set(first, [...(map.get(first) ?? []), words]);
  }
  return map;
}

/** Text between the words of a keyword: white space, or one mark as in "e-mail" or "bed & breakfast". */
const GAP = /^(?:\s+|[-\u2010-\u2015'\u2019./&]|\s[-\u2013&]\s)$/;

function spansOfKeywords(text: string, words: readonly Word[], phrases: Phrases): Span[] {
  const spans: Span[] = [];
  for (let i = 0; i < words.length && spans.length < MAX_TRIGGERS; i++) {
    const phrase = phrases.get(words[i]!.word)?.find((one) => standsAt(text, words, i, one));
    if (phrase === undefined) continue;
    const last = i + phrase.length - 1;
    spans.push({ start: words[i]!.start, end: words[last]!.end });
    i = last;
  }
  return spans;
}

const standsAt = (text: string, words: readonly Word[], at: number, phrase: readonly string[]): boolean =>
  phrase.every(
    (word, i) =>
      words[at + i]?.word === word &&
      (i === 0 || GAP.test(text.slice(words[at + i - 1]!.end, words[at + i]!.start))),
  );

function spansOfPattern(text: string, pattern: RE2JS): Span[] {
  const spans: Span[] = [];
  const matcher = pattern.matcher(text);
  while (spans.length < MAX_TRIGGERS && matcher.find())
    if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() });
  return spans;
}

function triggersOf(text: string, spans: readonly Span[], place: (index: number) => number): Trigger[] {
  const found = new Map<string, Map<string, readonly [number, number]>>();
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end).slice(0, MAX_TRIGGERS);
  for (const { start, end } of sorted) {
    const word = text.slice(start, end);
    const places = found.get(word) ?? new Map<string, readonly [number, number]>();
    // A keyword and a pattern may find the same place.
    found.set(word, places.set(`${start}`, [place(start), place(end) - 1]));
  }
  return [...found].map(([word, places]) => ({ word, places: [...places.values()] }));
}

/** Returns a function that converts JavaScript indexes to character positions, in which a surrogate pair counts once. */
function characterPlaces(text: string): (index: number) => number {
  const halves = Array.from(text.matchAll(/[\u{10000}-\u{10FFFF}]/gu), ({ index }) => index);
  return (index) => index - firstIndex(halves.length, (half) => halves[half]! >= index);
}
