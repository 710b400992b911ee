import { measureTime } from './timing.ts';

/** Work on an input of about this size; what prepares the input is not timed. */
export type Work = (size: number) => () => unknown;

/** Entries of the longest list: more than a request may have media. */
const LARGEST = 16_000;
/** Texts are longer than lists: the longest has about as many characters as a property may. */
const CHARACTERS = 4;
/** What the larger of both inputs may take in any case: below that the collection of garbage counts for more than the work. */
const ALWAYS_FINE_MS = 60;
/** Four times the input: linear work takes four times as long, quadratic work sixteen times. */
const MOST_TIMES = 9;
const ATTEMPTS = 10;

/**
 * How much longer work takes on four times the input, in a sentence when that is far more than four times; undefined when it is
 * not. Both sizes are timed in turn and the best of each counts, so that a busy machine holds up all alike.
 */
export function growth(work: Work, attempts = ATTEMPTS): string | undefined {
  for (let size = 250; size * 4 <= LARGEST; size *= 4) {
    if (timedAlsoRefused(work(size * 4)) < ALWAYS_FINE_MS) continue;
    const best = bestOf(
      [1, 4].map((times) => work(size * times)),
      attempts,
    );
    const [least = 0, most = 0] = best;
    // Nothing but a busy machine made it look slow: a larger input tells more.
    if (most < ALWAYS_FINE_MS) continue;
    return most < MOST_TIMES * least
      ? undefined
      : best.map((ms, at) => `${ms.toFixed(1)} ms for ${size * 4 ** at}`).join(', ');
  }
  return undefined;
}

/** The best times of all, timed in turn, until they tell that the work is linear, or often enough. */
function bestOf(works: readonly (() => unknown)[], attempts: number): readonly number[] {
  const best = works.map(() => Infinity);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const [at, one] of works.entries()) best[at] = Math.min(best[at]!, timedAlsoRefused(one));
    const [least = 0, most = 0] = best;
    if (most < ALWAYS_FINE_MS || (attempt > 0 && most < MOST_TIMES * least)) break;
  }
  return best;
}

/** How long it takes to do it, or to refuse it. */
const timedAlsoRefused = (work: () => unknown): number =>
  measureTime(() => {
    try {
      work();
    } catch (error) {
      // Many rules say by an error that they refuse; this one says that there was too much.
      if (error instanceof RangeError) throw error;
    }
  });

/** What somebody may repeat who wants a rule for texts to work hard. */
const PUMPS = [
  'a',
  '1',
  ' ',
  '\n',
  '/',
  '?',
  '%',
  '=',
  ';',
  ',',
  '"',
  '\\',
  '[',
  '{',
  '(',
  '.',
  '-',
  '_',
  ':',
  '@',
  '&a=1',
  '../',
  '%41',
  'a,',
  '0.',
  '\u{1d4b3}',
  'A1, ',
  '{}\n',
];

/** A rule for texts, over each of these between `lead` and `tail`, and once with what fits nowhere behind them. */
export const ofText = (rule: (text: string) => unknown, lead = '', tail = ''): readonly Work[] =>
  PUMPS.flatMap((pump) =>
    [tail, `\0${tail}`].map((end) => (size: number) => {
      const text = lead + pump.repeat((CHARACTERS * size) / pump.length) + end;
      return () => rule(text);
    }),
  );

export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
export const makeNamed = <T>(count: number, make: (at: number) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(many(count, (at) => [`NAME_${at}`, make(at)]));

/** What is known of a rule: work to be timed, or why it is not. */
export type Known =
  | Work
  | readonly Work[]
  | { readonly why: string }
  | { readonly most: number; readonly work: Work; readonly why: string };

/** The same reason for several rules. */
export const because = (why: string, ...names: readonly string[]): Readonly<Record<string, Known>> =>
  Object.fromEntries(names.map((name) => [name, { why }]));
