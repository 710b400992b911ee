/** What somebody may have meant who wrote a name that nobody has. */

/** Letters that may differ: names of at least `LONG_NAME` letters may differ in two. */
const LONG_NAME = 10;
const FEW_LETTERS = 1;
const MORE_LETTERS = 2;
/** Longer names are misspelt in no way that this could tell. */
const MAX_LENGTH = 200;
const MAX_SUGGESTIONS = 3;

/** The names that are nearest to a given one, at most three: those that have it in them, else those with few other letters. */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.trim().toUpperCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return [];
  const all = [...known];
  const within = all.filter((one) => one.toUpperCase().includes(wanted));
  if (within.length > 0) return within.toSorted((a, b) => a.length - b.length).slice(0, MAX_SUGGESTIONS);
  return all
    .map((one) => ({ one, letters: lettersBetween(wanted, one.toUpperCase()) }))
    .filter(({ letters }) => letters !== undefined)
    .toSorted((a, b) => a.letters! - b.letters!)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ one }) => one);
}

/** How many letters differ; undefined: too many for a slip. */
export function lettersBetween(name: string, known: string): number | undefined {
  const most = known.length < LONG_NAME ? FEW_LETTERS : MORE_LETTERS;
  if (Math.abs(name.length - known.length) > most || name.length > MAX_LENGTH) return undefined;
  const letters = differingLetters(name, known);
  return letters > most ? undefined : letters;
}

/** Letters to insert, remove, replace or swap with their neighbour until one name is the other (optimal string alignment). */
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
