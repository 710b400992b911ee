import type { Context, Middleware } from 'koa';
import type { Session, SessionStore } from '../../actors/sessions/session-store.ts';
import { isLoopback, type AccessSettings, type ProviderSettings } from '../../config/access.ts';
import { LoginProvider, ProviderFailed } from '../../egress/login-provider.ts';
import { loadOrCreateDevelopmentSecrets } from '../access/development-secrets.ts';
import type { Logger } from '../access/logger.ts';
import { Refusals } from '../access/refusals.ts';
import { Router } from '../routing/router.ts';
import { browserUrl, type BrowserUrl } from './browser-url.ts';
import { ownCookie } from './cookies.ts';
import { Codes } from './development-codes.ts';
import { developmentLogin, foreignHost, isOwnAddress } from './development-login.ts';
import { Entry } from './entry.ts';
import { logout } from './logout.ts';
import type { OpenAnswers } from './open-answers.ts';
import { PendingLogins } from './pending-logins.ts';
import { providerLogin } from './provider-login.ts';
import { sessionOrBearer } from './session-access.ts';

/** The login of browsers, and the access by their sessions. */
export interface Login {
  /** Routes of `/login`, paths below it, and `/logout`. */
  readonly routes: Middleware;
  /** Name of the cookie of a session. */
  readonly cookieName: string;
  /** Accepts requests with a session. `bearer` checks all others. */
  or(bearer: Middleware): Middleware;
}

export interface LoginDeps {
  /** URL at which clients reach this server. */
  readonly baseUrl: string;
  /** URL at which programs on the same machine reach this server. */
  readonly localUrl: string;
  readonly dataDir: string;
  /** Identifies this start of the server. */
  readonly serverId: string;
  readonly sessions: SessionStore;
  readonly open: OpenAnswers;
  /** Maximum duration of a session. */
  readonly sessionMs: number;
  /** Maximum time that a browser may spend at the provider. */
  readonly lifeMs: number;
  readonly refusalsAMinute: number;
  readonly logger: Logger;
  readonly clock: { now(): number; steady(): number };
}

/** The parts of the login that depend on the kind of provider. */
interface Way {
  /** The routes of the login. */
  readonly router: Router;
  /** True if an origin is this server's. */
  isOwn(origin: string, ctx: Context): boolean;
  /** Returns why a request with a session must be refused, whatever it contains. */
  objection?(ctx: Context): string | undefined;
  /** Returns the address at which the browser must log out as well. */
  atProvider(session: Session): Promise<string | undefined>;
}

/**
 * Creates the login from the access settings. The first login causes the first request to the provider. The next login repeats a failed
 * request.
 */
export async function createLogin(access: AccessSettings, deps: LoginDeps): Promise<Login> {
  const { sessions, open, logger, clock, refusalsAMinute } = deps;
  const url =
    access.mode === 'development' ? browserUrl(deps.localUrl) : browserUrl(deps.baseUrl, access.redirectUri);
  const cookie = ownCookie('session', url);
  const refusals = new Refusals(logger, refusalsAMinute, () => clock.now());
  const entry = new Entry(deps, cookie, refusals);
  const way =
    access.mode === 'development'
      ? await developmentWay(entry, url, deps)
      : providerWay(access, entry, url, deps);
  const router = new Router();
  for (const part of [way.router, logout({ ...way, entry, url })]) router.use(part.routes());
  return {
    routes: router.routes() as Middleware,
    cookieName: cookie.name,
    or: (bearer) => sessionOrBearer({ ...way, sessions, cookie, open, now: () => clock.now() }, bearer),
  };
}

async function developmentWay(entry: Entry, url: BrowserUrl, deps: LoginDeps): Promise<Way> {
  const { dataDir, serverId: server, clock } = deps;
  const { clientSecret: secret } = await loadOrCreateDevelopmentSecrets(dataDir);
  const codes = new Codes({ secret, server }, () => clock.now());
  return {
    router: developmentLogin({ codes, entry, url }),
    isOwn: (origin, ctx) => isOwnAddress(origin, ctx, url),
    objection: (ctx) => foreignHost(ctx, url),
    atProvider: () => Promise.resolve(undefined),
  };
}

function providerWay(settings: ProviderSettings, entry: Entry, url: BrowserUrl, deps: LoginDeps): Way {
  const { baseUrl, lifeMs, clock, logger } = deps;
  const { issuer, clientId, clientSecret, scopes, allowHttp } = settings;
  const provider = new LoginProvider({
    client: { issuer, clientId, clientSecret, allowHttp: allowHttp || isLoopback(new URL(issuer).hostname) },
    scopes,
    redirectUri: url.redirectUri,
    steady: () => clock.steady(),
  });
  const pending = new PendingLogins(clientSecret, lifeMs, () => clock.now());
  const ticket = ownCookie('login', url);
  const origins = new Set([url.origin, new URL(baseUrl).origin]);
  return {
    router: providerLogin({ provider, settings, pending, ticket, lifeMs, entry, url }),
    isOwn: (origin) => origins.has(origin),
    async atProvider({ idToken }) {
      try {
        return await provider.endSessionUrl(idToken, browserUrl(baseUrl).href);
      } catch (error) {
        if (!(error instanceof ProviderFailed)) throw error;
        logger.warn({ reason: error.message }, 'a user could not be logged out at the identity provider');
        return undefined;
      }
    },
  };
}

/** Returns an id of the access settings. When the settings change, all sessions end. */
export function realmOf(access: AccessSettings): string {
  if (access.mode === 'development') return 'development';
  const { issuer, clientId, roles, userNameClaim, groupClaim } = access;
  return JSON.stringify({ issuer, clientId, roles, userNameClaim, groupClaim });
}
