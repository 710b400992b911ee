/** Metadata that shows clients of `/mcp` where to get tokens: RFC 9728, OAuth 2.0 Protected Resource Metadata. */
import type { Context, Middleware } from 'koa';

/** An OpenID Connect provider whose tokens are accepted. */
export interface TokenProvider {
  readonly issuer: string;
  readonly scopes: readonly string[];
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Serves the metadata to anonymous callers, and to scripts of other origins. Without a provider there is no metadata. */
export function resourceMetadata(url: string, provider: TokenProvider | undefined): Middleware {
  // Clients request the metadata with and without the path of the resource. A proxy in front may add a prefix to that path.
  const paths = new Set(['', '/mcp', `${new URL(url).pathname.replace(/\/$/, '')}/mcp`].map((end) => METADATA_PATH + end)); // oxfmt-ignore
  return (ctx, next) => {
    if (provider === undefined || !paths.has(ctx.path) || !['GET', 'HEAD'].includes(ctx.method))
      return next();
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.body = {
      resource: `${url}/mcp`,
      resource_name: 'Troupe',
      authorization_servers: [provider.issuer],
      scopes_supported: provider.scopes,
      bearer_methods_supported: ['header'],
    };
    return undefined;
  };
}

/** Adds to a 401 of `authenticate` the address where clients get a token. */
export function challenge(url: string, provider: TokenProvider | undefined): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status !== 401) return;
    const wrong = hasToken(ctx) ? 'error="invalid_token", ' : '';
    const where = provider === undefined ? '' : `resource_metadata="${url}${METADATA_PATH}"`;
    const parts = `${wrong}${where}`.replace(/, $/, '');
    ctx.set('WWW-Authenticate', parts === '' ? 'Bearer' : `Bearer ${parts}`);
  };
}

const hasToken = (ctx: Context): boolean => ctx.get('authorization') !== '';
