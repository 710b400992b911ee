import type { Context, Middleware } from 'koa';
import { answer, HttpError } from '../routing/errors.ts';
import type { McpEndpointDeps } from './mcp-endpoint.ts';
import { challenge, type TokenProvider } from './resource-metadata.ts';

export interface McpStepDeps extends McpEndpointDeps {
  readonly provider: TokenProvider | undefined;
  /** Accepts a bearer token or an API key. Cookies are not accepted, because other sites could use them. */
  readonly authenticate: Middleware;
  readonly countRequests: Middleware;
  /** Origins from CORS_ALLOWED_ORIGINS. */
  readonly allowedOrigins: readonly string[];
}

/** The steps of `/mcp`, in order. */
export function mcpSteps(deps: McpStepDeps): readonly Middleware[] {
  const origins = new Set([new URL(deps.url).origin, ...deps.allowedOrigins]);
  return [
    knownOrigin(origins),
    challenge(deps.url, deps.provider),
    deps.authenticate,
    deps.countRequests,
    onlyPost,
    async (ctx) => {
      // The library is loaded at the first request, because most servers get no such request.
      const { serveMcp } = await import('./mcp-endpoint.ts');
      await serveMcp(ctx, deps);
    },
  ];
}

/** Refuses unknown origins, as the protocol requires. A page of another site must not use a server that only its reader can reach. */
const knownOrigin =
  (origins: ReadonlySet<string>): Middleware =>
  (ctx, next) => {
    const origin = ctx.get('Origin');
    if (origin === '' || origins.has(origin) || origins.has('*')) return next();
    const message = `Pages of ${origin.slice(0, MAX_SHOWN)} cannot use /mcp. Add this origin to CORS_ALLOWED_ORIGINS.`;
    return answer(ctx, new HttpError('foreign-origin', message));
  };
const MAX_SHOWN = 200;

/** Accepts only POST. Without sessions, GET has no events and DELETE has nothing to delete. */
const onlyPost: Middleware = (ctx: Context, next) => {
  if (ctx.method === 'POST') return next();
  ctx.set('Allow', 'POST');
  return answer(ctx, new HttpError('method-not-allowed', 'The path /mcp supports POST only.'));
};
