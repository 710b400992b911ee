import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Headers of answers that scripts of another origin may read. */
const EXPOSED = [
  'X-Request-Id',
  'Retry-After',
  'Warning',
  'Location',
  'Link',
  'WWW-Authenticate',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'X-Interface-Version',
  'Troupe-Server',
];
/** Headers that scripts of another origin may send. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Range',
  'X-Request-Id',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Time for which a browser caches the answer to its preflight request: seconds. */
const REMEMBERED_S = 600;

/**
 * Allows scripts of these origins (`*`: of any) to use the interface with a bearer token. Cookies are never accepted, so with `*` no site
 * gets the rights of a logged-in user. This step answers preflight requests, which have no token.
 */
export function crossOrigin(origins: readonly string[]): Middleware {
  if (origins.length === 0) return (_ctx, next) => next();
  const any = origins.includes('*');
  return cors({
    origin: (ctx) => (any ? '*' : (origins.find((origin) => origin === ctx.get('Origin')) ?? '')),
    credentials: false,
    exposeHeaders: EXPOSED,
    allowHeaders: ALLOWED,
    allowMethods: METHODS,
    maxAge: REMEMBERED_S,
  });
}
