/** Maximum length of a path. Longer paths do not fit into a cookie. */
const MAX_CHARACTERS = 2_000;
const ELSEWHERE = 'http://nowhere.invalid';

/**
 * Returns the path to which a browser returns after its login. This is `wanted` if it is a path of this server (perhaps with query and
 * fragment), else the first page. It never leads to another host, to prevent open redirects. `basePath`: path of BASE_URL, without a slash
 * at its end.
 */
export function ownPath(wanted: unknown, basePath: string): string {
  const start = `${basePath}/`;
  if (typeof wanted !== 'string' || wanted.length > MAX_CHARACTERS) return start;
  // Browsers read a backslash as a slash, and drop tabs and line breaks. Such paths can hide //host.
  if (!wanted.startsWith('/') || /^\/[/\\]|[\\\p{Cc}]/u.test(wanted)) return start;
  if (!URL.canParse(wanted, ELSEWHERE)) return start;
  const { origin, pathname, search, hash } = new URL(wanted, ELSEWHERE);
  // The parser turns `/.//host` into `//host`.
  if (origin !== ELSEWHERE || pathname.startsWith('//')) return start;
  const path = pathname.startsWith(start) ? pathname : `${basePath}${pathname}`;
  return `${path}${search}${hash}`;
}
