/** Which of the known names was probably meant by a misspelt one. */

/** Letters that may differ: names of at least `LONG_NAME` letters may differ in two. */
const LONG_NAME = 10;
const FEW_LETTERS = 1;
const MORE_LETTERS = 2;
/** Longer names are not compared: a comparison takes the product of both lengths. */
const MAX_LENGTH = 100;
/** Known names that are compared with one. */
const MAX_KNOWN = 2_000;

/** The nearest of the known names, without regard to case and to signs between words; undefined: none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const given = lettersOf(name);
  let best: { readonly name: string; readonly letters: number } | undefined;
  let compared = 0;
  for (const other of known) {
    if (++compared > MAX_KNOWN) break;
    const most = other.length < LONG_NAME ? FEW_LETTERS : MORE_LETTERS;
    const letters = lettersOf(other);
    if (Math.abs(letters.length - given.length) > most) continue;
    const differing = differingLetters(given, letters);
    if (differing <= most && differing < (best?.letters ?? Infinity))
      best = { name: other, letters: differing };
  }
  return best?.name;
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll(/[\s_.-]/g, '');

/** ` Did you mean FACE?`, or nothing. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** Letters to insert, remove, replace or swap with their neighbour until one name is the other (optimal string alignment). */
export function differingLetters(a: string, b: string): number {
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
