import type { Context } from 'koa';
import type { Session } from '../../actors/sessions/session-store.ts';
import { Router } from '../routing/router.ts';
import type { BrowserUrl } from './browser-url.ts';
import type { Entry } from './entry.ts';
import { showPage } from './pages.ts';
import { strangersRequest } from './same-origin.ts';

export interface LogoutDeps {
  readonly entry: Entry;
  readonly url: BrowserUrl;
  isOwn(origin: string, ctx: Context): boolean;
  /** Returns the address at which the browser logs out at the provider. Returns undefined if there is none. */
  atProvider(session: Session): Promise<string | undefined>;
}

/**
 * Ends the session here and at the provider. The answer is a page that continues to the provider by itself. Browsers do not follow a
 * redirect of a form to another server if form-action is 'self'. A script that accepts JSON receives the address instead.
 */
export function logout(deps: LogoutDeps): Router {
  const router = new Router();
  router.post('/logout', (ctx) => leave(ctx, deps));
  return router;
}

async function leave(ctx: Context, { entry, url, isOwn, atProvider }: LogoutDeps): Promise<void> {
  const refusal = strangersRequest(ctx, isOwn);
  if (refusal !== undefined) {
    const link = { to: `${url.basePath}/`, text: 'Continue' };
    return showPage(ctx, { status: 403, title: 'You are still logged in', says: [refusal], link });
  }
  const session = await entry.letOut(ctx);
  const elsewhere = session && (await atProvider(session));
  const location = elsewhere ?? `${url.basePath}/`;
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { location };
    return;
  }
  if (elsewhere !== undefined) return leadOn(ctx, elsewhere);
  // 303: the browser follows the redirect with GET.
  ctx.status = 303;
  ctx.redirect(location);
}

function leadOn(ctx: Context, location: string): void {
  ctx.set('Refresh', `0; url=${location}`);
  const says = ['You are logged out here. The identity provider may still know you.'];
  const link = { to: location, text: 'Log out there, too' };
  showPage(ctx, { status: 200, title: 'You are logged out', says, link });
}
