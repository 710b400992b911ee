/** Longer ones would not fit into a cookie. */
const MAX_CHARACTERS = 2_000;
const ELSEWHERE = 'http://nowhere.invalid';

/**
 * Where a browser goes after its login: `wanted` when that is a path of this server (perhaps with query and fragment), else its first page. Never
 * another host, to prevent open redirects. `basePath`: of BASE_URL, without a slash at its end.
 */
export function ownPath(wanted: unknown, basePath: string): string {
  const start = `${basePath}/`;
  if (typeof wanted !== 'string' || wanted.length > MAX_CHARACTERS) return start;
  // Browsers take a backslash for a slash, and drop tabs and line breaks: //host in disguise.
  if (!wanted.startsWith('/') || /^\/[/\\]|[\\\p{Cc}]/u.test(wanted)) return start;
  if (!URL.canParse(wanted, ELSEWHERE)) return start;
  const { origin, pathname, search, hash } = new URL(wanted, ELSEWHERE);
  // `/.//host` has become `//host`.
  if (origin !== ELSEWHERE || pathname.startsWith('//')) return start;
  const path = pathname.startsWith(start) ? pathname : `${basePath}${pathname}`;
  return `${path}${search}${hash}`;
}
