import path from 'node:path';
import type { Context, Next } from 'koa';
import { packageRoot } from '../../config/info.ts';
import { Router } from '../routing/router.ts';
import { serveApiPage } from './api-page.ts';
import { DocsSite } from './docs-site.ts';

const SITE = path.join(packageRoot, 'dist', 'docs-site');

/** Serves the documentation site at `/docs/`. Redirects to `/docs/api/` if the site was not built. */
export function docsPages(url: string, folder = SITE): Router {
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  const site = new DocsSite(folder);
  const router = new Router({ strict: true });
  const to = (place: string, status: number) => (ctx: Context) => {
    ctx.status = status;
    ctx.redirect(`${prefix}${place}`);
  };
  router.get('/docs', to('/docs/', 308));
  router.get('/docs/api', to('/docs/api/', 308));
  router.get('/docs/api/', (ctx) => serveApiPage(ctx, 'index.html'));
  router.get('/docs/api/:file', (ctx) => serveApiPage(ctx, (ctx['params'] as { file: string }).file));
  const toApi = to('/docs/api/', 302);
  router.get('/docs/', (ctx) => (site.exists ? site.serve(ctx, 'index.html') : toApi(ctx)));
  router.get(/^\/docs\/(.+)$/, (ctx: Context, _next: Next) =>
    site.serve(ctx, (ctx['captures'] as readonly string[])[0] ?? ''),
  );
  return router;
}
