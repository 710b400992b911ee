/** A group of the pattern that is being read. */
interface Group {
  size: number;
  /** Size of the last part, which a repetition repeats. */
  last: number;
}

const REPETITION = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const CLASS_OF_ESCAPE = /\\(?:[pP]\{[^}]{0,40}\}|x\{[^}]{0,8}\}|[^])/y;
/** Size of a character class such as \p{L}, in letters. */
const CLASS_SIZE = 4;

/**
 * Estimates the number of steps to compile a regular expression: its characters and classes, multiplied by numeric repetitions. It reads
 * the pattern once. For an invalid pattern the result is arbitrary.
 */
export function patternSize(pattern: string): number {
  const groups: Group[] = [{ size: 0, last: 0 }];
  for (let at = 0; at < pattern.length;) {
    const group = groups.at(-1)!;
    const one = pattern[at];
    if (one === '(') {
      groups.push({ size: 0, last: 0 });
      at++;
    } else if (one === ')') {
      if (groups.length > 1) {
        groups.pop();
        add(groups.at(-1)!, group.size + 1);
      }
      at++;
    } else if (one === '{') {
      at += repeat(group, pattern, at);
    } else if (one === '[') {
      add(group, CLASS_SIZE);
      at = endOfClass(pattern, at);
    } else if (one === '\\') {
      CLASS_OF_ESCAPE.lastIndex = at;
      const length = CLASS_OF_ESCAPE.exec(pattern)?.[0].length ?? 1;
      add(group, length > 2 ? CLASS_SIZE : 1);
      at += length;
    } else {
      if (one !== '*' && one !== '+' && one !== '?') add(group, 1);
      at++;
    }
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

function add(group: Group, size: number): void {
  group.size += size;
  group.last = size;
}

/** Applies a repetition to the last part. Returns the number of its characters. */
function repeat(group: Group, pattern: string, at: number): number {
  REPETITION.lastIndex = at;
  const [text, least, most] = REPETITION.exec(pattern) ?? [];
  if (text === undefined) {
    add(group, 1);
    return 1;
  }
  const times = Math.max(Number(least), Number(most ?? 0));
  group.size += group.last * Math.max(0, times - 1);
  group.last *= Math.max(1, times);
  return text.length;
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']' && at > start + 1) return at + 1;
  }
  return pattern.length;
}
