/**
 * What a process loads before it does anything: the files that its first one leads to by imports that are no types, and the packages that these
 * name. To load is most of what a start takes, so what few need is imported where they need it.
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { importsOf } from './support/imports.ts';

/** Packages by the first file of a process; one that is added here makes each start longer. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'cli/main.ts': ['commander'],
  'cli/logger.ts': ['pino'],
  'config/settings.ts': ['zod'],
  'main.ts': [
    ...['@koa/cors', '@koa/router', 'better-sqlite3', 'comedy', 'fastq', 'immutable', 'ipaddr.js', 'koa'],
    ...['koa-jwt', 'lru-cache', 'oidc-provider/lib/helpers/als.js', 'prom-client', 'request-filtering-agent'],
    'zod',
  ],
  'components/host/main.ts': [],
  'components/host/detect.ts': [],
  'components/sdk/second-thread.ts': [],
  'components/sdk/beats.ts': [],
  'components/media/handle.ts': ['fastq', 'file-type', 'ipaddr.js'],
};

function packagesOf(first: string): readonly string[] {
  const files = [first];
  const packages = new Set<string>();
  for (const file of files)
    for (const { target, ours, typeOnly, lazy } of importsOf(file, readFileSync(file, 'utf8'))) {
      if (typeOnly || lazy || target.startsWith('node:')) continue;
      if (!ours) packages.add(target);
      else if (!files.includes(target) && existsSync(target)) files.push(target);
    }
  return [...packages].toSorted();
}

describe('A start', () => {
  for (const [first, packages] of Object.entries(PACKAGES))
    it(`of ${first} loads ${packages.length === 0 ? 'no packages' : packages.join(', ')}`, () => {
      expect(packagesOf(first)).to.deep.equal(packages.toSorted());
    });
});
