/** What messages of the same cause have in common. */
import { shortenText } from '../text/printable.ts';

/** Characters of a message that are looked at, and of a pattern. */
const LOOKED_AT = 2_000;
const MAX_PATTERN = 300;

/**
 * What differs between messages of one cause, in this order: data: URIs, URLs after their host, paths of files, ids, numbers.
 * A number that follows a letter is a part of a name, such as H264.
 */
const VARIABLE = new RegExp(
  [
    /(?<data>\bdata:)[^\s"'<>]+/,
    /(?<host>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>/?#]*)[^\s"'<>,;)]*/,
    /(?<path>(?<![\w.*…#])(?:[A-Za-z]:)?[/\\][^\s"'<>,;:)]+)/,
    /(?<id>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b)/,
    /(?<number>(?<![A-Za-z\d])\d+(?:[.,:]\d+)*)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** The message with what only this one has blanked: `https://host/…`, `/…` and `#`; at most 300 characters. */
export function messagePattern(message: string): string {
  const line = message.slice(0, LOOKED_AT).replaceAll(/\s+/g, ' ').trim();
  const pattern = line.replaceAll(VARIABLE, (...match) => {
    const { data, host, path } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    if (data !== undefined) return `${data}…`;
    if (host !== undefined) return `${host}/…`;
    return path === undefined ? '#' : '/…';
  });
  return shortenText(pattern, MAX_PATTERN);
}
