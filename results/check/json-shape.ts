/**
 * Limits for a line of JSON, checked before parsing. A few million empty objects in a line would block the parser for minutes, and a thread
 * without free heap can end the whole process.
 */

const MAX_NESTING = 16;
/** Maximum number of members of one object. Only a hostile line has more. */
const MAX_MEMBERS = 10_000;
/**
 * Minimum number of bytes for each container and each comma. A track has about 35 bytes for each object or list and 10 for each comma, a
 * bomb 2 to 3.
 */
const BYTES_A_CONTAINER = 16;
const BYTES_A_COMMA = 3;
const ALLOWANCE = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Why a line should not be parsed, or undefined. It does not check that the line is valid JSON, because the parser does. */
export function unparsable(text: string): string | undefined {
  const commas = new Int32Array(MAX_NESTING + 2);
  let containers = 0;
  let allCommas = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      allCommas += 1;
      commas[depth] = (commas[depth] ?? 0) + 1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      containers += 1;
      depth += 1;
      if (depth > MAX_NESTING) return `nests more than ${MAX_NESTING} levels deep`;
      commas[depth] = 0;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (code === CLOSE_OBJECT && (commas[depth] ?? 0) >= MAX_MEMBERS)
        return `has an object of more than ${MAX_MEMBERS} members`;
      if (depth > 0) depth -= 1;
    }
  }
  const sparse =
    containers <= ALLOWANCE + text.length / BYTES_A_CONTAINER &&
    allCommas <= ALLOWANCE + text.length / BYTES_A_COMMA;
  return sparse ? undefined : 'has far more lists, objects or values than a track of its size';
}

/** End of the string that begins at `from`, or the end of the text if the string is not closed. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
