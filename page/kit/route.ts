/** Where the reader is: the part of the address behind `#`, as in `#/jobs/host-7?medium=1&t=12480`. */
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decodeText), query: new URLSearchParams(query) };
}

/** What cannot be decoded was typed by hand, and stands for itself. */
function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place; what is undefined or empty is left out of the query. */
export function hrefOf(path: readonly (string | number)[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a place. `replace`: Back does not come here again. */
export function go(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const readHash = () => setHash(location.hash);
    addEventListener('hashchange', readHash);
    return () => removeEventListener('hashchange', readHash);
  }, []);
  return routeOf(hash);
}
