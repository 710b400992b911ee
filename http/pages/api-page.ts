import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'koa';
import { packageRoot } from '../../config/info.ts';
import { nothingAt } from '../routing/errors.ts';
import { PAGE_POLICY, sendStaticFile } from './static-file.ts';

const OWN = path.join(packageRoot, 'http', 'docs');
const SWAGGER = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const DAY_S = 86_400;

/** All files of the page, by name. The server never looks for other files on the disk. */
const FILES: Readonly<Record<string, { readonly folder: string; readonly type: string }>> = {
  'index.html': { folder: OWN, type: 'text/html; charset=utf-8' },
  'tokens.css': { folder: path.join(packageRoot, 'page', 'styles'), type: 'text/css; charset=utf-8' },
  'page.css': { folder: OWN, type: 'text/css; charset=utf-8' },
  'page.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { folder: SWAGGER, type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { folder: SWAGGER, type: 'text/javascript; charset=utf-8' },
  'favicon-32x32.png': { folder: SWAGGER, type: 'image/png' },
};

/** Sends a file of the page at /docs/api. The files are anonymous and static. The page loads its data with the reader's token. */
export async function serveApiPage(ctx: Context, name: string): Promise<void> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (file === undefined) return nothingAt(ctx);
  await sendStaticFile(ctx, {
    path: path.join(file.folder, name),
    type: file.type,
    // The server's own files change with its version. The others are large and keep their names for a version of the package.
    cacheControl: file.folder === SWAGGER ? `public, max-age=${DAY_S}` : 'no-cache',
    policy: PAGE_POLICY,
  });
}
