/** Suggests known names for an unknown one. */

/** Minimum length of names that may differ in two letters. Shorter names may differ in one. */
const LONG_NAME = 10;
const FEW_LETTERS = 1;
const MORE_LETTERS = 2;
/** Maximum length of compared names. The cost of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 100;
/** Maximum number of known names that are compared with a name. */
const MAX_KNOWN = 2_000;
const MAX_SUGGESTIONS = 3;

/** The nearest of the known names. Case and the characters between words are ignored. Undefined if none is near. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined =>
  misspeltNames(name, [...known])[0];

/** The nearest of the known names, at most three: those that contain the name, or else those like `nearestName`. */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.trim().toUpperCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return [];
  const all = [...known];
  const within = all.filter((one) => one.toUpperCase().includes(wanted));
  const found = within.length > 0 ? within.toSorted((a, b) => a.length - b.length) : misspeltNames(name, all);
  return found.slice(0, MAX_SUGGESTIONS);
}

/** ` Did you mean FACE?`, or ''. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** Number of letters that differ. Undefined if there are too many for a misspelling. */
export function lettersBetween(name: string, known: string): number | undefined {
  const most = known.length < LONG_NAME ? FEW_LETTERS : MORE_LETTERS;
  if (Math.abs(name.length - known.length) > most || name.length > MAX_LENGTH) return undefined;
  const letters = differingLetters(name, known);
  return letters > most ? undefined : letters;
}

/** Known names that may be meant, the nearest first. */
function misspeltNames(name: string, known: readonly string[]): readonly string[] {
  if (name.length > MAX_LENGTH) return [];
  const given = lettersOf(name);
  return known
    .slice(0, MAX_KNOWN)
    .flatMap((one) => {
      const letters = lettersBetween(given, lettersOf(one));
      return letters === undefined ? [] : [{ one, letters }];
    })
    .toSorted((a, b) => a.letters - b.letters)
    .map(({ one }) => one);
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll(/[\s_.-]/g, '');

/** Number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment distance). */
function differingLetters(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let letters = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) letters = Math.min(letters, before[column - 2]! + 1);
      next.push(letters);
    }
    [before, last] = [last, next];
  }
  return last[b.length]!;
}
