import type { Context } from 'koa';

const READING = new Set(['GET', 'HEAD']);

/**
 * Returns why a request with a session cookie is refused. Returns undefined if the request comes from a page of this server, or changes
 * nothing and other pages cannot read its answer. Browsers send the cookie with requests of any page, and name that page in headers that
 * scripts cannot set. `isOwn`: true if an origin is this server's.
 */
export function strangersRequest(
  ctx: Context,
  isOwn: (origin: string, ctx: Context) => boolean,
): string | undefined {
  const site = ctx.get('Sec-Fetch-Site');
  if (READING.has(ctx.method)) return strangersReading(site, ctx.get('Sec-Fetch-Mode'));
  if (site === 'same-origin') return undefined;
  if (site !== '') return `This comes from another site (Sec-Fetch-Site: ${cutText(site)}): ${ADVICE}`;
  const origin = ctx.get('Origin');
  if (origin === '')
    return `The request has neither Sec-Fetch-Site nor Origin, so its page is unknown: ${ADVICE}`;
  return isOwn(origin, ctx) ? undefined : `This comes from another origin (${cutText(origin)}): ${ADVICE}`;
}

const ADVICE = 'with a session only pages of this server may change anything. Use a bearer token instead.';
const cutText = (text: string) => text.slice(0, 100);

/**
 * Allows followed links, but not the use of an answer inside a page of another site. Old browsers and plain HTTP do not send these headers.
 */
function strangersReading(site: string, mode: string): string | undefined {
  if (['', 'same-origin', 'none'].includes(site) || mode === 'navigate') return undefined;
  return `A page of another site (Sec-Fetch-Site: ${cutText(site)}) may not read this with a session.`;
}
