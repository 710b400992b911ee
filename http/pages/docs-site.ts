/** The documentation site, as built by `npm run docs:site`. It is anonymous and static. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'koa';
import { packageRoot } from '../../config/info.ts';
import { nothingAt } from '../routing/errors.ts';
import { PAGE_POLICY, sendStaticFile } from './static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};
/** Content security policy of diagrams. They contain their own styles, and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Folder of the pages from which the site is built. */
const SOURCES = path.join(packageRoot, 'docs');

export class DocsSite {
  readonly #folder: string;
  #files: ReadonlySet<string> | undefined;
  #sources: ReadonlySet<string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True if the site was built. */
  get exists(): boolean {
    return this.#names().has('index.html');
  }

  /** Sends a file. `given`: a file of the site, or a page without its file extension. */
  async serve(ctx: Context, given: string): Promise<void> {
    const isPage = path.extname(given) === '';
    if (isPage && !this.exists && this.#pages().has(`${given}.md`)) return sendSource(ctx, `${given}.md`);
    const name = isPage ? `${given}.html` : given;
    const type = TYPES[path.extname(name)];
    // Only files found in the folder are served. The server never looks for other files on the disk.
    if (type === undefined || !this.#names().has(name)) return nothingAt(ctx);
    await sendStaticFile(ctx, {
      path: path.join(this.#folder, name),
      type,
      cacheControl: 'no-cache',
      policy: type === TYPES['.svg'] ? PICTURE_POLICY : PAGE_POLICY,
    });
  }

  #pages(): ReadonlySet<string> {
    return (this.#sources ??= new Set(namesBelow(SOURCES).filter((name) => name.endsWith('.md'))));
  }

  /** Names of the files. They are read once, because the site changes only with the version of the server. */
  #names(): ReadonlySet<string> {
    return (this.#files ??= new Set(namesBelow(this.#folder)));
  }
}

/** Sends the source of a page if the site was not built, so that the links of error answers work. */
const sendSource = (ctx: Context, name: string) =>
  sendStaticFile(ctx, {
    path: path.join(SOURCES, name),
    type: 'text/plain; charset=utf-8',
    cacheControl: 'no-cache',
    policy: PAGE_POLICY,
  });

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll(path.sep, '/'),
    );
  } catch {
    return [];
  }
}
