/** The web page at `/`. It is anonymous and static, and loads its data with the session of its reader. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { packageRoot } from '../../config/info.ts';
import { nothingAt } from '../routing/errors.ts';

const STATIC = path.join(packageRoot, 'page');
const COMPILED = path.join(packageRoot, 'dist', 'page');
/** Modules of packages, by the names under which the page imports them. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  'preact/jsx-runtime': 'preact/jsx-runtime',
  uplot: 'uplot/dist/uPlot.esm.js',
};
const PACKAGE_STYLES: Readonly<Record<string, string>> = { 'uplot.css': 'uplot/dist/uPlot.min.css' };
/** Packages whose module imports other files of its folder. */
const PACKAGE_FOLDERS = ['@tanstack/virtual-core'];
/** Sample media with which a new user can try the server. */
const SAMPLES = ['face_move.mp4', 'race.jpg', 'text.png'];
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
};
const YEAR_S = 365 * 86_400;

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** The compressed file. Absent if compression does not make it smaller. */
  readonly gzip?: Buffer;
}

interface Page {
  readonly html: string;
  readonly policy: string;
  /** Part of the addresses of the files. Another version of the page has other addresses. */
  readonly version: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

/** Serves `GET /` and the files of the page, `/page/<version>/<file>`. The files are read once, at the first request. */
export function webPage(url: string): Middleware {
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  let page: Page | undefined;
  return (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    // The addresses of the files are relative to the address of the page.
    if (prefix !== '' && ctx.path === prefix) return ctx.redirect(`${prefix}/`);
    if (ctx.path !== '/' && !ctx.path.startsWith('/page/')) return next();
    page ??= readPage();
    if (ctx.path === '/') return showPage(ctx, page);
    return showFile(ctx, page);
  };
}

function showPage(ctx: Context, { html, policy }: Page): void {
  ctx.set('Content-Security-Policy', policy);
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Cache-Control', 'no-cache');
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}

function showFile(ctx: Context, { version, files }: Page): void {
  const [, , given, ...name] = ctx.path.split('/');
  const file = given === version ? files.get(name.join('/')) : undefined;
  if (file === undefined) return nothingAt(ctx);
  ctx.set('Cache-Control', `public, max-age=${YEAR_S}, immutable`);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.status = 200;
  ctx.type = file.type;
  ctx.vary('Accept-Encoding');
  const isSmall = file.gzip !== undefined && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isSmall) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isSmall ? file.gzip : file.body;
}

function readPage(): Page {
  const files = new Map([
    ...filesBelow(COMPILED, '.js'),
    ...filesBelow(STATIC, '.css', '.svg'),
    ...packages(),
    ...samples(),
  ]);
  const version = versionOf(files);
  const base = `page/${version}`;
  const first = files.get('first-requests.js')!.body.toString();
  const imports = JSON.stringify({
    imports: Object.fromEntries([
      ...Object.keys(PACKAGES).map((name) => [name, `./${base}/${fileOf(name)}`]),
      ...PACKAGE_FOLDERS.map((name) => [name, `./${base}/packages/${name}/index.js`]),
    ]),
  });
  const preloads = importedBy(files, 'main.js')
    .filter((name) => name !== 'main.js')
    .map((name) => `<link rel="modulepreload" href="${base}/${name}" />`);
  const html = readFileSync(path.join(STATIC, 'index.html'), 'utf8')
    .replace('{{FIRST_REQUESTS}}', () => `<script>${first}</script>`)
    .replaceAll('{{FILES}}', base)
    .replace('{{IMPORTS}}', `<script type="importmap">${imports}</script>`)
    .replace('{{PRELOADS}}', preloads.join('\n    '));
  return { html, policy: policyFor([imports, first]), version, files };
}

/** Returns a module with all its static imports, recursively. Dynamic imports are loaded when a view needs them. */
function importedBy(files: ReadonlyMap<string, PageFile>, start: string): readonly string[] {
  const found = new Set([start]);
  for (const name of found)
    for (const [, from] of files.get(name)?.body.toString().matchAll(IMPORT) ?? []) {
      const target = moduleOf(from!, name);
      if (files.has(target)) found.add(target);
    }
  return [...found];
}
/** Matches static imports and exports of a module as written. It does not match `import(…)`. */
const IMPORT = /^(?:import|export)\b[^'"();]*['"]([^'"]+)['"]/gm;

function moduleOf(from: string, importer: string): string {
  if (from.startsWith('.')) return path.posix.join(path.posix.dirname(importer), from);
  return PACKAGE_FOLDERS.includes(from) ? `packages/${from}/index.js` : fileOf(from);
}

function filesBelow(folder: string, ...endings: readonly string[]): readonly (readonly [string, PageFile])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.includes(path.extname(name)))
    .map((name) => [
      name.replaceAll(path.sep, '/'),
      textFile(TYPES[path.extname(name)]!, readFileSync(path.join(folder, name))),
    ]);
}

const textFile = (type: string, body: Buffer): PageFile => ({ type, body, gzip: gzipSync(body) });

const fileOf = (name: string) => `packages/${name.replace('/', '-')}.js`;

/** Replaces NODE_ENV, because browsers have no environment variables. */
const forBrowsers = (body: Buffer): Buffer =>
  Buffer.from(body.toString().replaceAll(/process\.env\.NODE_ENV/g, "'production'"));

function packages(): readonly (readonly [string, PageFile])[] {
  const pathOf = (module: string) => fileURLToPath(import.meta.resolve(module));
  const fileAt = (module: string, type: string): PageFile => textFile(type, readFileSync(pathOf(module)));
  return [
    ...Object.entries(PACKAGES).map(
      ([name, module]) => [fileOf(name), fileAt(module, TYPES['.js']!)] as const,
    ),
    ...Object.entries(PACKAGE_STYLES).map(
      ([name, module]) => [`packages/${name}`, fileAt(module, TYPES['.css']!)] as const,
    ),
    ...PACKAGE_FOLDERS.flatMap((name) =>
      filesBelow(path.dirname(pathOf(name)), '.js').map(
        ([file, { type, body }]) => [`packages/${name}/${file}`, textFile(type, forBrowsers(body))] as const,
      ),
    ),
  ];
}

function samples(): readonly (readonly [string, PageFile])[] {
  return SAMPLES.map((name) => [
    `samples/${name}`,
    { type: TYPES[path.extname(name)]!, body: readFileSync(path.join(packageRoot, 'samples', name)) },
  ]);
}

function versionOf(files: ReadonlyMap<string, PageFile>): string {
  const hash = createHash('sha256');
  for (const [name, { body }] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name} ${body.length}\n`).update(body);
  return hash.digest('base64url').slice(0, 12);
}

/** Allows scripts, requests, pictures and sound of this server only. The inline scripts are the list of packages and the first requests. */
function policyFor(inline: readonly string[]): string {
  const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
