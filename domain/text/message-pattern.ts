/** Finds the common part of messages with the same cause. */
import { shortenText } from '../text/printable.ts';

/** Maximum number of characters of a message that are read, and of a pattern. */
const LOOKED_AT = 2_000;
const MAX_PATTERN = 300;

/**
 * Variable parts of messages with one cause, in this order: data: URIs, URLs after their host, file paths, ids and numbers. A number that
 * follows a letter is part of a name, such as H264.
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

/** The message with its variable parts replaced by `https://host/…`, `/…` and `#`; at most 300 characters. */
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
