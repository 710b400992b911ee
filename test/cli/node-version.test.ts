import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

interface Installation {
  readonly isCheckout: boolean;
  readonly hasOwnSqlite: boolean;
}

/** This script runs before anything is compiled. */
const { OLDEST_NODE, refusalOfNode, runsSqlite } = (await import(
  pathToFileURL(path.join(packageRoot, 'config', 'build', 'node-version.mjs')).href
)) as {
  readonly OLDEST_NODE: string;
  refusalOfNode(versions: { node: string; napi: string }, what: Installation): string | undefined;
  runsSqlite(versions: NodeJS.ProcessVersions): boolean;
};

const INSTALLED = { isCheckout: false, hasOwnSqlite: false };
const CHECKOUT = { isCheckout: true, hasOwnSqlite: true };

describe('The version of Node', () => {
  it('is at least the one in package.json', () => {
    const { engines } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(engines.node).to.equal(`>=${OLDEST_NODE}`);
    expect(refusalOfNode({ node: '20.18.3', napi: '9' }, CHECKOUT)).to.equal(
      'Troupe needs Node 20.19.0 or newer, and this is Node 20.18.3. Install Node 22, 24 or 26.',
    );
    expect(refusalOfNode({ node: '20.19.0', napi: '9' }, CHECKOUT)).to.equal(undefined);
  });

  it('is at least 22.14 for an installed package', () => {
    for (const [node, napi] of [
      ['20.20.2', '9'],
      ['22.13.1', '9'],
      ['23.5.0', '9'],
    ] as const)
      expect(refusalOfNode({ node, napi }, INSTALLED)).to.equal(
        `An installed package of Troupe needs Node 22.14 or newer, and this is Node ${node}. Install Node 22, 24 or 26.`,
      );
    for (const [node, napi] of [
      ['22.14.0', '10'],
      ['24.21.0', '10'],
      ['26.10.0', '10'],
    ] as const)
      expect(refusalOfNode({ node, napi }, INSTALLED), node).to.equal(undefined);
  });

  it('needs another npm ci in a checkout that was installed with a newer Node', () => {
    expect(refusalOfNode({ node: '20.20.2', napi: '9' }, { ...CHECKOUT, hasOwnSqlite: false })).to.equal(
      'SQLite is not installed for Node 20.20.2. Run `npm ci` again, or use Node 22, 24 or 26.',
    );
  });

  it('decides which SQLite this process loads', () => {
    const script = `console.log(require('better-sqlite3/package.json').version)`;
    const version = execFileSync(process.execPath, ['-e', script], {
      cwd: path.join(packageRoot, 'dist'),
      encoding: 'utf8',
    });
    expect(Number.parseInt(version)).to.equal(runsSqlite(process.versions) ? 13 : 12);
  });

  it('is checked by the command line tool before it loads anything', function () {
    if (runsSqlite(process.versions)) this.skip();
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-node-version-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    for (const file of ['cli/troupe.mjs', 'config/build/node-version.mjs']) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      copyFileSync(path.join(packageRoot, file), path.join(folder, file));
    }
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    const { status, stderr } = spawnSync(process.execPath, ['cli/troupe.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr).to.match(/^An installed package of Troupe needs Node 22\.14 or newer/);
    expect(status).to.equal(2);
  });
});
