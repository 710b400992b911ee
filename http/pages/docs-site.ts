/** The documentation site, as `npm run docs:site` has built it: anonymous and static. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'koa';
import { empty } from '../routing/errors.ts';
import { PAGE_POLICY, sendStaticFile } from './static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** Diagrams contain their own styles, and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

export class DocsSite {
  readonly #folder: string;
  #files: ReadonlySet<string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether it was built. */
  get exists(): boolean {
    return this.#names().has('index.html');
  }

  async serve(ctx: Context, name: string): Promise<void> {
    const type = TYPES[path.extname(name)];
    // Only what was found in the folder is served: nothing else is looked for on the disk.
    if (type === undefined || !this.#names().has(name)) return empty(ctx, 404);
    await sendStaticFile(ctx, {
      path: path.join(this.#folder, name),
      type,
      cacheControl: 'no-cache',
      policy: type === TYPES['.svg'] ? PICTURE_POLICY : PAGE_POLICY,
    });
  }

  /** Read once: the site changes with the version of the server. */
  #names(): ReadonlySet<string> {
    return (this.#files ??= new Set(namesBelow(this.#folder)));
  }
}

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll(path.sep, '/'),
    );
  } catch {
    return [];
  }
}
