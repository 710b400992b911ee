/** Replaces characters of untrusted text that would control the terminal, or change the writing direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
}

/** The same for text with several lines. */
export const printableLines = (text: string) => text.split('\n').map(printable).join('\n');

/** Cuts a text to at most `length` characters. */
export function shortenText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
