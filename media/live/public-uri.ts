/**
 * A stream's URI as it may stand in messages, events and logs: without user, password and query, in which cameras take passwords as
 * well. Where a password that was not encoded makes it unclear which part is which, nothing but the scheme is shown.
 */
export function publicUri(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(uri)?.[0] ?? '';
  const rest = uri.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  // After a colon what looks like a path or a query may be the rest of a password.
  if (authority.includes(':') && rest.includes('@', authority.length)) return `${scheme}<hidden>`;
  const behind = rest.slice(authority.length);
  const query = behind.search(/[?#]/);
  const path = query < 0 ? behind : behind.slice(0, query);
  return `${scheme}${at < 0 ? '' : '<hidden>@'}${host}${path}${behind[query] === '?' ? '?<hidden>' : ''}`;
}
