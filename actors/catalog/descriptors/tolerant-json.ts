/**
 * People write component descriptors by hand, with comments and commas after the last entry. Both become blanks here, so that
 * JSON.parse takes the text and its error messages still name the right place. Texts in quotes stay as they are.
 */
export function withoutExtras(text: string): string {
  const characters = text.split('');
  /** The last character that means something, and the one before it. */
  let last = -1;
  let before = -1;
  const endsEntry = (at: number) => at >= 0 && !'[{,:'.includes(characters[at]!);

  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (/\s/.test(character)) continue;
    const commentEnd = endOfComment(text, i);
    // A comment that never ends: no JSON, whatever follows.
    if (commentEnd === -1) return text;
    if (commentEnd !== undefined) {
      for (; i < commentEnd; i++) if (text[i] !== '\n') characters[i] = ' ';
      i--;
      continue;
    }
    if ((character === ']' || character === '}') && characters[last] === ',' && endsEntry(before))
      characters[last] = ' ';
    before = last;
    last = i;
    if (character === '"') i = endOfText(text, i);
  }
  return characters.join('');
}

/** Index after a comment that starts at `start`; undefined when none does, -1 when it never ends. */
function endOfComment(text: string, start: number): number | undefined {
  if (text.startsWith('//', start)) {
    const end = text.indexOf('\n', start);
    return end === -1 ? text.length : end;
  }
  if (!text.startsWith('/*', start)) return undefined;
  const end = text.indexOf('*/', start + 2);
  return end === -1 ? -1 : end + 2;
}

/** Index of the closing quote of the text that starts at `start`. */
function endOfText(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
  return i;
}
