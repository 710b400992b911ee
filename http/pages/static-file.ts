/** Files that the server sends unchanged: pages of the documentation and their assets. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from 'koa';

export interface StaticFile {
  readonly path: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly policy: string;
}

/** Allows scripts and requests of this server only, and no inline scripts. Pictures of the style sheet are data: URIs. */
export const PAGE_POLICY = [
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

/** Sends the file, or 304 if the browser already has it. */
export async function sendStaticFile(ctx: Context, { path, type, cacheControl, policy }: StaticFile) {
  const { size, mtime } = await stat(path);
  ctx.status = 200;
  ctx.set('Content-Security-Policy', policy);
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('Cache-Control', cacheControl);
  ctx.lastModified = mtime;
  ctx.etag = `"${size.toString(36)}-${mtime.getTime().toString(36)}"`;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  ctx.length = size;
  ctx.body = createReadStream(path);
}
