/** The current place: the part of the address after `#`, as in `#/jobs/host-7?medium=1&t=12480`. */
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

/** Decodes a part of the address. Text that cannot be decoded was typed by hand and stays as it is. */
function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the address of a place. Undefined and empty values are omitted from the query. */
export function hrefOf(path: readonly (string | number)[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Opens a place. `replace`: the Back button skips the current place. */
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
