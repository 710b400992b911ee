import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'koa';
import { packageRoot } from '../../config/info.ts';
import { empty } from '../routing/errors.ts';
import { Router } from '../routing/router.ts';

const OWN = path.join(packageRoot, 'http', 'docs');
const SWAGGER = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const DAY_S = 86_400;

/** Everything that is served, by name: nothing else is looked for on the disk. */
const FILES: Readonly<Record<string, { readonly folder: string; readonly type: string }>> = {
  'index.html': { folder: OWN, type: 'text/html; charset=utf-8' },
  'page.css': { folder: OWN, type: 'text/css; charset=utf-8' },
  'page.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { folder: SWAGGER, type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { folder: SWAGGER, type: 'text/javascript; charset=utf-8' },
  'favicon-32x32.png': { folder: SWAGGER, type: 'image/png' },
};

/** Scripts and requests of this server only, none in the page itself; the pictures of the style sheet are data: URIs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The page at /docs: anonymous and static. What it shows it fetches with the reader's token. */
export function docsPage(url: string): Router {
  const router = new Router({ strict: true });
  router.get('/docs', (ctx) => {
    ctx.status = 308;
    ctx.redirect(`${new URL(url).pathname.replace(/\/$/, '')}/docs/`);
  });
  router.get('/docs/', (ctx) => serve(ctx, 'index.html'));
  router.get('/docs/:file', (ctx) => serve(ctx, (ctx['params'] as { file: string }).file));
  return router;
}

async function serve(ctx: Context, name: string): Promise<void> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (file === undefined) return empty(ctx, 404);
  const found = path.join(file.folder, name);
  const { size, mtime } = await stat(found);
  ctx.status = 200;
  ctx.set('Content-Security-Policy', POLICY);
  ctx.set('Referrer-Policy', 'no-referrer');
  // Our own files change with the server; the others are large and keep their names for a version of the package.
  ctx.set('Cache-Control', file.folder === OWN ? 'no-cache' : `public, max-age=${DAY_S}`);
  ctx.lastModified = mtime;
  ctx.etag = `"${size.toString(36)}-${mtime.getTime().toString(36)}"`;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = file.type;
  ctx.length = size;
  ctx.body = createReadStream(found);
}
