import type { Middleware } from 'koa';

/**
 * Removes the path of BASE_URL (`/troupe` of https://host/troupe) from the request. The server therefore works with reverse proxies that
 * remove the path and with those that keep it.
 */
export function withoutBasePath(baseUrl: string): Middleware {
  const prefix = new URL(baseUrl).pathname.replace(/(?<!\/)\/+$/, '');
  if (prefix === '') return (_ctx, next) => next();
  return (ctx, next) => {
    if (ctx.path.startsWith(`${prefix}/`)) ctx.path = ctx.path.slice(prefix.length);
    return next();
  };
}
