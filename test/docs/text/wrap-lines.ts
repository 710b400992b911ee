/** Line width and escaping of generated pages. */
const WIDTH = 100;

/** Breaks a text into lines between words. All lines but the first begin with `indent`. */
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

/** Converts a text of the code to Markdown. Escapes tags and emphasis, except in code. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .split('`')
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/[<*|]/g, String.raw`\$&`)))
    .join('`');
}
