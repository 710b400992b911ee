/**
 * Replaces comments and trailing commas by blanks, because component descriptors are often written by hand. JSON.parse then accepts the
 * text, and its error messages still name the right place. Quoted texts do not change.
 */
export function withoutExtras(text: string): string {
  const characters = text.split('');
  /** Index of the last significant character, and of the one before it. */
  let last = -1;
  let before = -1;
  const endsEntry = (at: number) => at >= 0 && !'[{,:'.includes(characters[at]!);

  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (/\s/.test(character)) continue;
    const commentEnd = endOfComment(text, i);
    // A comment without an end: the text is not JSON.
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

/** Returns the index after the comment at `start`; undefined if there is no comment, -1 if it has no end. */
function endOfComment(text: string, start: number): number | undefined {
  if (text.startsWith('//', start)) {
    const end = text.indexOf('\n', start);
    return end === -1 ? text.length : end;
  }
  if (!text.startsWith('/*', start)) return undefined;
  const end = text.indexOf('*/', start + 2);
  return end === -1 ? -1 : end + 2;
}

/** Returns the index of the closing quote of the text that starts at `start`. */
function endOfText(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
  return i;
}
