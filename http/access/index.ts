import { join } from 'node:path';
import type { Middleware } from 'koa';
import { isLoopback, type AccessSettings } from '../../config/access.ts';
import { authenticate, nodeVerdicts, requireRole } from './bearer.ts';
import { DEVELOPMENT_PATH } from './development-names.ts';
import {
  createDevelopmentProvider,
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ROLES,
} from './development-provider.ts';
import { loadOrCreateDevelopmentSecrets, SECRETS_FOLDER } from './development-secrets.ts';
import type { Logger } from './logger.ts';
import { ownNodeTokens, providerNodes, type NodeAuthenticator } from './node-access.ts';
import { withoutSlash } from './provider-document.ts';
import { Refusals } from './refusals.ts';
import { fixedSigningKeys, publishedSigningKeys } from './signing-keys.ts';

export interface Access {
  /** The embedded provider below `/oidc` (development only). Must run before any body parser and `authenticate`. */
  readonly routes?: Middleware;
  readonly authenticate: Middleware;
  readonly requireAdmin: Middleware;
  /** Authenticates nodes on other hosts. */
  readonly authenticateNode: NodeAuthenticator;
  /** The client of the service at the provider, for tokens on callbacks and archive posts (specification 5). */
  readonly serviceClient: ServiceClient;
}

export interface ServiceClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** True if plain HTTP to the provider is allowed. */
  readonly allowHttp: boolean;
}

export interface AccessDependencies {
  /** URL at which clients reach this server, without a path. It is known once the server listens. */
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly logger: Logger;
  /** Maximum number of log lines per minute about refused tokens. */
  readonly refusalsAMinute: number;
  /** Milliseconds since the epoch; for tests. */
  readonly clock?: () => number;
}

/** Creates access control from the settings. The first token causes the first request to the provider, which is retried. */
export async function createAccess(
  settings: AccessSettings,
  dependencies: AccessDependencies,
): Promise<Access> {
  const clock = dependencies.clock ?? Date.now;
  if (settings.mode === 'development') return developmentAccess(dependencies, clock);

  const { tokenIssuer: issuer, allowHttp, audience, roles, userNameClaim, groupClaim } = settings;
  const { clientId, clientSecret, lenientTokens: lenient } = settings;
  const keys = publishedSigningKeys({ issuer, allowHttp, logger: dependencies.logger, clock });
  const common = {
    ...{ keys, issuer, userNameClaim, groupClaim, clock, lenient },
    refusals: refusalsOf(dependencies, clock),
    ...(audience !== undefined && { audience }),
  };
  const { node } = settings;
  return {
    authenticate: authenticate({ ...common, roles }),
    authenticateNode: providerNodes(node === undefined ? undefined : nodeVerdicts({ ...common, node })),
    requireAdmin: requireRole('ADMIN'),
    serviceClient: {
      issuer: settings.issuer,
      clientId,
      clientSecret,
      allowHttp: allowHttp || isLoopback(new URL(settings.issuer).hostname),
    },
  };
}

async function developmentAccess(dependencies: AccessDependencies, clock: () => number): Promise<Access> {
  const { baseUrl, dataDir, logger } = dependencies;
  const issuer = `${withoutSlash(baseUrl)}${DEVELOPMENT_PATH}`;
  const secrets = await loadOrCreateDevelopmentSecrets(dataDir);
  const provider = createDevelopmentProvider({ issuer, secrets, logger });
  logger.warn(
    { issuer, clientId: provider.clientId, secrets: join(dataDir, SECRETS_FOLDER) },
    'DEVELOPMENT ACCESS: no OpenID Connect provider is set, so the server issues its own tokens. ' +
      'Everybody who can read the secrets folder is an ADMIN',
  );
  const refusals = refusalsOf(dependencies, clock);
  return {
    routes: provider.middleware,
    authenticateNode: ownNodeTokens(secrets.nodeSecret, clock, refusals),
    authenticate: authenticate({
      keys: fixedSigningKeys(provider.keys),
      issuer,
      audience: DEVELOPMENT_AUDIENCE,
      roles: DEVELOPMENT_ROLES,
      userNameClaim: 'sub',
      clock,
      refusals,
    }),
    requireAdmin: requireRole('ADMIN'),
    serviceClient: {
      issuer,
      ...provider.serviceClient,
      allowHttp: true,
    },
  };
}

const refusalsOf = ({ logger, refusalsAMinute }: AccessDependencies, clock: () => number) =>
  new Refusals(logger, refusalsAMinute, clock);
