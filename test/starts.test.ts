/**
 * Modules that a process loads at its start: files imported from its first file, except for types, and their
 * packages. Loading takes most of the start time, so rarely needed modules are imported when they are used.
 */
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { importsOf } from './support/imports.ts';

/** Packages by first file of a process. Each added package slows down the start. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'cli/main.ts': ['commander'],
  'cli/terminal/logger.ts': ['pino'],
  'config/settings.ts': ['zod'],
  'main.ts': [
    ...['@koa/cors', '@koa/router', 'better-sqlite3', 'comedy', 'fastq', 'immutable', 'ipaddr.js', 'koa'],
    ...['koa-jwt', 'lru-cache', 'oidc-provider/lib/helpers/als.js', 'prom-client', 'request-filtering-agent'],
    'zod',
  ],
  'components/host/main.ts': [],
  'components/host/detect.ts': [],
  'components/host/stream.ts': [],
  'components/sdk/work/second-thread.ts': [],
  'components/sdk/work/beats.ts': [],
  'media/picture/image-frame.ts': ['sharp'],
  // A stream that is refused needs only these.
  'media/live/live-thread.ts': [],
  'media/live/input/http-input.ts': ['ipaddr.js'],
  'media/live/rtsp/rtsp-input.ts': ['ipaddr.js'],
  'components/builtin/media/handle.ts': ['fastq', 'file-type'],
};

/**
 * The ES module builds of these packages load much more slowly. One file each loads the CommonJS build and
 * exports it to the others.
 */
const BY_REQUIRE: Readonly<Record<string, string>> = {
  '@koa/router': 'http/routing/router.ts',
  immutable: 'actors/basics/immutable.ts',
  'ipaddr.js': 'egress/http/ip-addresses.ts',
  'onnxruntime-node': 'components/shared/networks/onnx-runtime.ts',
  saxes: 'files/xml.ts',
  sharp: 'media/picture/sharp.ts',
  usearch: 'search/sqlite/similar/usearch.ts',
  yauzl: 'components/documents/office/package.ts',
};
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\('([^']+)'\)/g;

function packagesOf(first: string): readonly string[] {
  const files = [first];
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, required = ''] of text.matchAll(REQUIRED)) packages.add(required);
    for (const { target, ours, typeOnly, lazy } of importsOf(file, text)) {
      if (typeOnly || lazy || target.startsWith('node:')) continue;
      if (!ours) packages.add(target);
      else if (!files.includes(target) && existsSync(target)) files.push(target);
    }
  }
  return [...packages].toSorted();
}

describe('A start', () => {
  for (const [first, packages] of Object.entries(PACKAGES))
    it(`of ${first} loads ${packages.length === 0 ? 'no packages' : packages.join(', ')}`, () => {
      expect(packagesOf(first)).to.deep.equal(packages.toSorted());
    });

  for (const [name, one] of Object.entries(BY_REQUIRE))
    it(`loads ${name} by require, in ${one} alone`, () => {
      const importing = sources().filter((file) =>
        importsOf(file, readFileSync(file, 'utf8')).some(
          ({ target, typeOnly }) => target === name && !typeOnly,
        ),
      );
      expect(importing).to.deep.equal([]);
      expect([...readFileSync(one, 'utf8').matchAll(REQUIRED)].map(([, required]) => required)).to.deep.equal(
        [name],
      );
    });
});

const sources = (): readonly string[] =>
  ['actors', 'components', 'egress', 'files', 'http', 'media'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
