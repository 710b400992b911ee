import type { Context } from 'koa';
import type { SessionUser } from '../../actors/sessions/session-store.ts';
import { isLoopback } from '../../config/access.ts';
import type { Role } from '../access/roles.ts';
import { queryOf } from '../routing/query.ts';
import { Router } from '../routing/router.ts';
import { readText } from '../routing/json-body.ts';
import type { BrowserUrl } from './browser-url.ts';
import type { Codes } from './development-codes.ts';
import type { Entry } from './entry.ts';
import { ownPath } from './own-path.ts';
import { showPage } from './pages.ts';
import { strangersRequest } from './same-origin.ts';

export interface DevelopmentLoginDeps {
  readonly codes: Codes;
  readonly entry: Entry;
  readonly url: BrowserUrl;
}

const USERS: Readonly<Record<Role, SessionUser>> = {
  ADMIN: { name: 'administrator', subject: 'development-administrator', roles: ['ADMIN'] },
  USER: { name: 'user', subject: 'development-user', roles: ['USER'] },
};
const FORM_LIMITS = { maxBytes: 16_384, maxMs: 10_000, maxDepth: 1, maxValues: 1 };
/** Headers that show that a reverse proxy forwarded a request. */
const PROXIED = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Via'];

/**
 * The login of a server without an OpenID Connect provider. Every program and user of this machine can connect to loopback, so a local
 * address proves nothing. A browser needs a link that `troupe login` creates from the secrets in DATA_DIR. The link opens a page with a
 * button, works once, and sets the role.
 */
export function developmentLogin(deps: DevelopmentLoginDeps): Router {
  const router = new Router();
  router.get('/login', (ctx) => offer(ctx, deps));
  router.post('/login', (ctx) => enter(ctx, deps));
  return router;
}

function offer(ctx: Context, { codes, url }: DevelopmentLoginDeps): void {
  const objection = remoteRequest(ctx, url);
  if (objection !== undefined) return refuse(ctx, objection);
  const { code, to } = queryOf(ctx);
  if (typeof code !== 'string')
    return showPage(ctx, {
      status: 200,
      title: 'Log in',
      says: [
        'This service runs for development, without an identity provider. Run `npx troupe login` in a terminal on this machine, ' +
          'in the folder where the service was started, and open the link that it shows.',
      ],
    });
  if (!codes.isGood(code)) return refuse(ctx, USED);
  showPage(ctx, {
    status: 200,
    title: 'Log in',
    says: ['This service runs for development, without an identity provider.'],
    form: {
      action: `${url.basePath}/login`,
      hidden: { code, to: ownPath(to, url.basePath) },
      button: 'Log in',
    },
  });
}

const USED = 'This link was used already, or is too old. `npx troupe login` makes a new one.';

async function enter(ctx: Context, { codes, entry, url }: DevelopmentLoginDeps): Promise<void> {
  const objection =
    remoteRequest(ctx, url) ?? strangersRequest(ctx, (origin) => isOwnAddress(origin, ctx, url));
  if (objection !== undefined) return refuse(ctx, objection);
  const form = new URLSearchParams(await readText(ctx, FORM_LIMITS));
  const role = codes.use(form.get('code') ?? '');
  if (role === undefined) {
    entry.refusals.tell(ctx, 400, 'a login link was used before, has expired or is invalid');
    return refuse(ctx, USED);
  }
  await entry.letIn(ctx, USERS[role]);
  ctx.status = 303;
  ctx.redirect(ownPath(form.get('to'), url.basePath));
}

function refuse(ctx: Context, sentence: string): void {
  showPage(ctx, { status: 403, title: 'You are not logged in', says: [sentence] });
}

/** Returns why a request does not come from a browser on this machine. Returns undefined if it seems to. */
export function remoteRequest(ctx: Context, url: BrowserUrl): string | undefined {
  const proxied = PROXIED.find((name) => ctx.get(name) !== '');
  if (proxied !== undefined || !isLoopback(ctx.socket.remoteAddress ?? ''))
    return (
      `The development login works only for browsers on the machine of the server. This request came through a proxy (${proxied ?? 'address'}). ` +
      'Set the OIDC variables to log in from other machines.'
    );
  return foreignHost(ctx, url);
}

/** Returns an error message if the host of a request is not a name of this machine. This detects DNS rebinding. */
export function foreignHost(ctx: Context, { href }: BrowserUrl): string | undefined {
  const host = ctx.get('Host');
  const address = `http://${host}`;
  const isOurs =
    host === new URL(href).host || (URL.canParse(address) && isLoopback(new URL(address).hostname));
  return isOurs
    ? undefined
    : 'This service runs for development: it answers only requests to localhost or 127.0.0.1.';
}

/** True if the origin is this server's. On loopback the server has several names, so the name in the request counts, too. */
export const isOwnAddress = (origin: string, ctx: Context, url: BrowserUrl) =>
  origin === url.origin || origin === `http://${ctx.get('Host')}`;
