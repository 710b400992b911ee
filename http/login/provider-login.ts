import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { SessionUser } from '../../actors/sessions/session-store.ts';
import type { ProviderSettings } from '../../config/access.ts';
import { REDIRECT_PATH } from '../../config/redirect-uri.ts';
import {
  LoginRefused,
  ProviderFailed,
  type Identity,
  type LoginProvider,
} from '../../egress/login-provider.ts';
import { groupOf, nameOf, noRoleMessage, rolesOf } from '../access/roles.ts';
import { queryOf } from '../routing/query.ts';
import { Router } from '../routing/router.ts';
import type { BrowserUrl } from './browser-url.ts';
import type { OwnCookie } from './cookies.ts';
import type { Entry } from './entry.ts';
import { ownPath } from './own-path.ts';
import { showPage } from './pages.ts';
import type { PendingLogin, PendingLogins } from './pending-logins.ts';

export interface ProviderLoginDeps {
  readonly provider: LoginProvider;
  readonly settings: Pick<ProviderSettings, 'roles' | 'userNameClaim' | 'groupClaim'>;
  readonly pending: PendingLogins;
  /** The cookie with the ticket of a pending login. */
  readonly ticket: OwnCookie;
  /** Time after which the ticket expires. */
  readonly lifeMs: number;
  readonly entry: Entry;
  readonly url: BrowserUrl;
}

const RETRY_AFTER_S = 5;

/** Login of browsers at an OpenID Connect provider. */
export function providerLogin(deps: ProviderLoginDeps): Router {
  const router = new Router();
  router.get('/login', (ctx) => guardLogin(ctx, deps, () => depart(ctx, deps)));
  router.get(REDIRECT_PATH, (ctx) => guardLogin(ctx, deps, () => arrive(ctx, deps)));
  return router;
}

async function depart(ctx: Context, { provider, pending, ticket, lifeMs, url }: ProviderLoginDeps) {
  const { to, prompt } = queryOf(ctx);
  const begun = pending.begin(ownPath(to, url.basePath));
  const address = await provider.authorizationUrl(begun.login.checks, prompt === 'login');
  ticket.write(ctx, begun.ticket, lifeMs);
  ctx.redirect(address);
}

async function arrive(ctx: Context, deps: ProviderLoginDeps): Promise<void> {
  const { provider, entry, ticket, url } = deps;
  const login = loginOf(ctx, deps);
  if (login === undefined) {
    // The user may have finished this login already, in another tab or before reloading the page.
    if ((await entry.current(ctx)) !== undefined) return ctx.redirect(`${url.basePath}/`);
    throw new LoginRefused(
      'This login did not start in this browser, or took too long. Allow cookies for this page and log in again.',
      'no pending login with this state',
    );
  }
  ticket.clear(ctx);
  const { claims, idToken } = await provider.identify(ctx.search, login.checks);
  const user = userOf({ claims, idToken }, deps);
  if (user.roles.length === 0) return withoutRole(ctx, user.name, { claims, idToken }, deps);
  await entry.letIn(ctx, user, idToken);
  ctx.redirect(login.to);
}

/** Returns the login that this browser started if the provider's answer belongs to it. */
function loginOf(ctx: Context, { pending, ticket }: ProviderLoginDeps): PendingLogin | undefined {
  const login = pending.resume(ticket.read(ctx) ?? '');
  const { state } = queryOf(ctx);
  if (login === undefined || typeof state !== 'string') return undefined;
  const [given, expected] = [Buffer.from(state), Buffer.from(login.checks.state)];
  return given.length === expected.length && timingSafeEqual(given, expected) ? login : undefined;
}

function userOf({ claims }: Identity, { settings }: ProviderLoginDeps): SessionUser {
  const { name, subject } = nameOf(claims, settings.userNameClaim);
  const group = groupOf(claims, settings.groupClaim);
  return {
    name,
    subject: subject ?? null,
    roles: rolesOf(claims, settings.roles),
    ...(group === null ? {} : { group }),
  };
}

function withoutRole(ctx: Context, name: string, { claims }: Identity, deps: ProviderLoginDeps): void {
  const { entry, settings, url } = deps;
  const missing = noRoleMessage(claims, settings.roles);
  entry.refusals.tell(ctx, 403, missing, name);
  showPage(ctx, {
    status: 403,
    title: 'You may not use this service',
    says: [
      `${name} has no role in this service. ${missing}`,
      'The administrator of the identity provider can grant one.',
    ],
    link: { to: `${url.basePath}/login?prompt=login`, text: 'Log in as another user' },
  });
}

/** Shows each error as a page with a sentence and a link. */
async function guardLogin(ctx: Context, { entry, url }: ProviderLoginDeps, work: () => Promise<void>) {
  const link = { to: `${url.basePath}/login`, text: 'Try again' };
  const title = 'You are not logged in';
  try {
    await work();
  } catch (error) {
    if (error instanceof LoginRefused) {
      entry.refusals.tell(ctx, 400, error.reason);
      return showPage(ctx, { status: 400, title, says: [error.message], link });
    }
    if (!(error instanceof ProviderFailed)) throw error;
    entry.refusals.tell(ctx, 503, error.message);
    ctx.set('Retry-After', String(RETRY_AFTER_S));
    const says = ['The identity provider cannot be reached. Try again later.'];
    showPage(ctx, { status: 503, title, says, link });
  }
}
