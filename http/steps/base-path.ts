import type { Middleware } from 'koa';

/**
 * Takes the path of BASE_URL (`/troupe` of https://host/troupe) off the request, so that it does not matter whether the
 * reverse proxy in front does so itself.
 */
export function withoutBasePath(baseUrl: string): Middleware {
  const prefix = new URL(baseUrl).pathname.replace(/(?<!\/)\/+$/, '');
  if (prefix === '') return (_ctx, next) => next();
  return (ctx, next) => {
    if (ctx.path.startsWith(`${prefix}/`)) ctx.path = ctx.path.slice(prefix.length);
    return next();
  };
}
