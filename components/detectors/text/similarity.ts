/**
 * Share of equal characters of two readings, 0-1: one minus the edit distance divided by the longer length. Case and spaces are ignored,
 * because readings of one text differ mostly in these. Readings with different digits are different texts (0): a clock, a score or a number
 * plate changes and is not a reading error.
 */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const [left, right] = [letters(a), letters(b)];
  if (digits(left) !== digits(right)) return 0;
  const length = Math.max(left.length, right.length);
  return length === 0 ? 1 : 1 - editDistance(left, right) / length;
}

function letters(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}

function digits(text: string): string {
  return text.replace(/\D+/g, '');
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
