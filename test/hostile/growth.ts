import { measureTime } from './timing.ts';

/** Returns the function to time for an input of about this size. Preparing the input is not timed. */
export type Work = (size: number) => () => unknown;

/** Length of the longest list: more than the largest number of media in a request. */
const LARGEST = 16_000;
/** Factor for texts: the longest has about as many characters as a property may have. */
const CHARACTERS = 4;
/** Times below this are always accepted, because garbage collection dominates them. */
const ALWAYS_FINE_MS = 60;
/** Limit for four times the input: linear work takes 4 times as long, quadratic work 16 times. */
const MOST_TIMES = 9;
const ATTEMPTS = 10;

/**
 * Compares the time for an input with the time for four times the input. Returns a sentence if the factor is
 * too large. Both sizes run alternately and the best times count, so that a busy machine slows both.
 */
export function growth(work: Work, attempts = ATTEMPTS): string | undefined {
  for (let size = 250; size * 4 <= LARGEST; size *= 4) {
    if (timedAlsoRefused(work(size * 4)) < ALWAYS_FINE_MS) continue;
    const best = bestOf(
      [1, 4].map((times) => work(size * times)),
      attempts,
    );
    const [least = 0, most = 0] = best;
    // Only a busy machine made it look slow. Larger inputs are more reliable.
    if (most < ALWAYS_FINE_MS) continue;
    return most < MOST_TIMES * least
      ? undefined
      : best.map((ms, at) => `${ms.toFixed(1)} ms for ${size * 4 ** at}`).join(', ');
  }
  return undefined;
}

/**
 * The best times of all works, run alternately until the growth is clearly linear, or until the limit of
 * attempts.
 */
function bestOf(works: readonly (() => unknown)[], attempts: number): readonly number[] {
  const best = works.map(() => Infinity);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const [at, one] of works.entries()) best[at] = Math.min(best[at]!, timedAlsoRefused(one));
    const [least = 0, most = 0] = best;
    if (most < ALWAYS_FINE_MS || (attempt > 0 && most < MOST_TIMES * least)) break;
  }
  return best;
}

/** The time until it succeeds or throws. */
const timedAlsoRefused = (work: () => unknown): number =>
  measureTime(() => {
    try {
      work();
    } catch (error) {
      // Many rules throw to refuse an input. A RangeError means that the input exhausted the stack.
      if (error instanceof RangeError) throw error;
    }
  });

/** Repeated texts that an attacker may use to slow down a text rule. */
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

/**
 * A text rule, with each of these texts between `lead` and `tail`, and once with a tail that never matches.
 */
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

/** How a rule is checked: work to time, or the reason why it is not timed. */
export type Known =
  | Work
  | readonly Work[]
  | { readonly why: string }
  | { readonly most: number; readonly work: Work; readonly why: string };

/** The same reason for several rules. */
export const because = (why: string, ...names: readonly string[]): Readonly<Record<string, Known>> =>
  Object.fromEntries(names.map((name) => [name, { why }]));
