/** Maximum number of warning headers in an answer. Many clients accept at most 8 KiB of headers. */
const MAX_HEADERS = 5;
const MAX_CHARACTERS = 300;

/**
 * Returns warnings about an accepted request as headers (`Warning: 299 - "text"`, RFC 7234 5.5). The body then stays as the specification
 * defines it. Headers contain ASCII only.
 */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string[]>> {
  if (warnings.length === 0) return {};
  const texts = warnings.slice(0, MAX_HEADERS);
  if (warnings.length > texts.length)
    texts.push(`(and ${warnings.length - texts.length} more: details=true)`);
  return { Warning: texts.map((text) => `299 - "${quotable(text)}"`) };
}

function quotable(text: string): string {
  const short = text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
  return short.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`);
}
