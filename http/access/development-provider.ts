import { createPublicKey, randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import requestContext from 'oidc-provider/lib/helpers/als.js';
import type { RoleClaims } from '../../config/access.ts';
import { DEVELOPMENT_CLIENT_ID, DEVELOPMENT_PATH } from './development-names.ts';
import type { DevelopmentSecrets } from './development-secrets.ts';
import type { Logger } from './logger.ts';
import type { FixedKey } from './signing-keys.ts';

/** The client that the service itself is. Its token is for receivers of callbacks and grants no access to this server. */
const SERVICE_CLIENT_ID = 'troupe-service';
export const DEVELOPMENT_AUDIENCE = 'urn:troupe:rest';
export const DEVELOPMENT_ROLES: RoleClaims = {
  admin: { name: 'groups', value: 'troupe-admin' },
  user: { name: 'groups', value: 'troupe-user' },
};
const TOKEN_TTL_S = 3600;
/** The only endpoints of the provider that can be reached: those that the client credentials grant needs. */
const ENDPOINTS = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/jwks',
  '/token',
]);

export interface DevelopmentProvider {
  /** Handles all requests below `/oidc`. Must run before any body parser. */
  readonly middleware: Middleware;
  /** Public keys (JWKS) for verifying tokens without an HTTP request. */
  readonly keys: { readonly keys: readonly FixedKey[] };
  readonly clientId: string;
  readonly serviceClient: { readonly clientId: string; readonly clientSecret: string };
}

export interface DevelopmentProviderDeps {
  /** Base URL of the server followed by `/oidc`. */
  readonly issuer: string;
  readonly secrets: DevelopmentSecrets;
  readonly logger: Logger;
}

type Handle = ReturnType<import('koa')['callback']>;

/**
 * A small OpenID provider in this process. One client gets JWT access tokens for ADMIN by client credentials. The service's own client gets
 * tokens without a role. The provider starts at the first request to it, because its start takes a fourth of the server's start.
 */
export function createDevelopmentProvider(deps: DevelopmentProviderDeps): DevelopmentProvider {
  const serviceClient = {
    clientId: SERVICE_CLIENT_ID,
    clientSecret: randomBytes(32).toString('base64url'),
  };
  let opened: Promise<Handle> | undefined;
  const handle: Handle = async (request, response) =>
    (await (opened ??= openProvider(deps, serviceClient)))(request, response);
  return {
    middleware: mountHandler(handle, new URL(deps.issuer).pathname),
    keys: { keys: deps.secrets.signingKeys.map(publicPart) },
    clientId: DEVELOPMENT_CLIENT_ID,
    serviceClient,
  };
}

async function openProvider(
  { issuer, secrets, logger }: DevelopmentProviderDeps,
  serviceClient: DevelopmentProvider['serviceClient'],
): Promise<Handle> {
  const provider = await noticesTo(logger, async () => {
    provideUrlParse();
    const { Provider, errors } = await import('oidc-provider');
    return new Provider(
      issuer,
      configuration(secrets, serviceClient, (description) => new errors.InvalidTarget(description)),
    );
  });
  const report = (error: Error): void => {
    logger.error({ reason: error.message }, 'The development provider failed');
  };
  provider.on('error', report);
  provider.on('server_error', (_ctx: unknown, error: Error) => {
    report(error);
  });
  return provider.callback();
}

function configuration(
  secrets: DevelopmentSecrets,
  service: DevelopmentProvider['serviceClient'],
  refusal: (description: string) => Error,
): Record<string, unknown> {
  const off = { enabled: false };
  const [{ alg }] = secrets.signingKeys;
  return {
    adapter: NothingToKeep,
    jwks: { keys: secrets.signingKeys },
    clients: [
      { client_id: DEVELOPMENT_CLIENT_ID, client_secret: secrets.clientSecret },
      { client_id: service.clientId, client_secret: service.clientSecret },
    ].map((client) => ({
      ...client,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: alg,
    })),
    clientAuthMethods: ['client_secret_basic'],
    responseTypes: ['none'],
    scopes: [],
    ttl: { ClientCredentials: TOKEN_TTL_S },
    extraTokenClaims: (_ctx: unknown, { clientId }: { readonly clientId?: string }) =>
      clientId === DEVELOPMENT_CLIENT_ID ? { groups: [DEVELOPMENT_ROLES.admin?.value] } : {},
    renderError: (ctx: { body: unknown }, out: object) => {
      ctx.body = out;
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      rpInitiatedLogout: off,
      userinfo: off,
      resourceIndicators: {
        enabled: true,
        defaultResource: () => DEVELOPMENT_AUDIENCE, // only a token for a resource is a JWT
        getResourceServerInfo: (_ctx: unknown, resource: string) => {
          if (resource !== DEVELOPMENT_AUDIENCE)
            throw refusal(`the only resource is ${DEVELOPMENT_AUDIENCE}`);
          return {
            scope: '',
            audience: DEVELOPMENT_AUDIENCE,
            accessTokenFormat: 'jwt',
            accessTokenTTL: TOKEN_TTL_S,
            jwt: { sign: { alg } },
          };
        },
      },
    },
  };
}

/** A storage adapter without effect. JWT access tokens are not stored, and the provider issues nothing else. */
class NothingToKeep {
  upsert(): Promise<void> {
    return Promise.resolve();
  }

  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/** Mounts the provider as Express does: the provider finds its prefix in `req.originalUrl` and its routes in `req.url`. */
function mountHandler(handle: Handle, prefix: string): Middleware {
  const below = async (ctx: Context): Promise<void> => {
    if (!ENDPOINTS.has(ctx.path.slice(DEVELOPMENT_PATH.length))) {
      ctx.body = null;
      ctx.status = 404;
      return;
    }
    ctx.respond = false;
    const whole = ctx.url;
    const url = whole.slice(DEVELOPMENT_PATH.length);
    Object.assign(ctx.req, { originalUrl: `${prefix}${url}`, url });
    try {
      await handle(ctx.req, ctx.res);
    } finally {
      ctx.req.url = whole;
      // The provider runs each request in an asynchronous context, for a feature that is off here. If left enabled, that context slows
      // every later promise of this process.
      requestContext.disable();
    }
  };
  return (ctx, next) =>
    ctx.path === DEVELOPMENT_PATH || ctx.path.startsWith(`${DEVELOPMENT_PATH}/`) ? below(ctx) : next();
}

function publicPart(key: DevelopmentSecrets['signingKeys'][number]): FixedKey {
  const { kid, alg, use } = key;
  return { ...createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' }), kid, alg, use };
}

/** oidc-provider calls URL.parse, which early releases of Node 20 lack. */
function provideUrlParse(): void {
  const url: { parse?: unknown } = URL;
  url.parse ??= (input: string, base?: string) => (URL.canParse(input, base) ? new URL(input, base) : null);
}

/** Redirects console output of oidc-provider (such as "Unsupported runtime") to the logger while the package is loaded and set up. */
async function noticesTo<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  const original = globalThis.console;
  const divertLog = (level: 'info' | 'warn') => ({
    value: (...args: unknown[]) => {
      const [text] = args;
      if (typeof text !== 'string' || !text.includes('oidc-provider ')) original[level](...args);
      else logger.info({ notice: text }, 'Development provider');
    },
  });
  const listening: Console = Object.create(original, { info: divertLog('info'), warn: divertLog('warn') });
  globalThis.console = listening;
  try {
    return await work();
  } finally {
    globalThis.console = original;
  }
}
