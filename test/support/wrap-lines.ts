/** The width of pages of documentation that are made from the code. */
const WIDTH = 120;

/** In lines that end between words; those after the first begin with `indent`. */
export function wrapLines(text: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `${indent}${word}`);
  }
  return lines.join('\n');
}
