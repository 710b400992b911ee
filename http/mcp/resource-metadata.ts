/** Where clients of `/mcp` get their tokens: RFC 9728, OAuth 2.0 Protected Resource Metadata. */
import type { Context, Middleware } from 'koa';

/** An OpenID Connect provider whose tokens are accepted. */
export interface TokenProvider {
  readonly issuer: string;
  readonly scopes: readonly string[];
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Answers the metadata to anybody, also to scripts of other origins. Without a provider there are none. */
export function resourceMetadata(url: string, provider: TokenProvider | undefined): Middleware {
  // Clients look for it with and without the path of the resource, which a proxy in front may lengthen.
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

/** After `authenticate` has answered 401: says where clients get a token. */
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
