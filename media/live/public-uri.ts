/**
 * A stream's URI as it may stand in messages, events and logs: without user, password and query, in which cameras take passwords as
 * well. Whatever could be a password is left out, also where the URI is malformed.
 */
export function publicUri(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(uri)?.[0] ?? '';
  const rest = uri.slice(scheme.length);
  // A password may hold any character when it was not encoded: all before the last @ may be part of it.
  const at = rest.lastIndexOf('@');
  const place = rest.slice(at + 1);
  const end = place.search(/[?#]/);
  const shown = end < 0 ? place : `${place.slice(0, end)}${place[end] === '?' ? '?<hidden>' : ''}`;
  return `${scheme}${at < 0 ? '' : '<hidden>@'}${shown}`;
}
