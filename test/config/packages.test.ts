/** The files that `npm pack` includes for packages that are installed without the server. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import packlist from 'npm-packlist';
import { packageRoot } from '../../config/info.ts';
import { manifestOf, PACKAGES } from './packages.ts';

const IMPORTS = /(?:(?<!\.)\bfrom|\bimport|\brequire|\(import\.meta\.url\))\s*\(?\s*['"]([^'"]+)['"]/g;
const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

for (const folder of PACKAGES)
  describe(`The package of ${folder}/`, function () {
    this.timeout(120_000);
    const own = manifestOf(folder);
    const ofServer = manifestOf('.');
    const at = path.join(packageRoot, folder);
    let files: readonly string[];
    before(async () => {
      execFileSync(process.execPath, ['config/build/package.mjs', folder], { cwd: packageRoot });
      files = await packlist({ path: at, package: own, isProjectRoot: true, edgesOut: new Map() });
    });

    it('has the version, the licence and the versions of Node of the server', () => {
      const { version, license, engines } = ofServer;
      expect(own).to.deep.include({ version, license, engines });
    });

    it('holds a README, a licence, code and declarations, and no sources and tests', () => {
      expect(files).to.include.members(['README.md', 'package.json', 'dist/LICENSE']);
      const other = files.filter((file) => !/^(README\.md|package\.json|dist\/.*(\.js|\.d\.ts|LICENSE|\.ttf))$/.test(file)); // oxfmt-ignore
      expect(other.filter((file) => !file.startsWith('dist/components/builtin/markup/font/'))).to.deep.equal(
        [],
      );
    });

    it('depends on the packages that its files import, in the versions of the server', () => {
      const imported = files
        .filter((file) => file.endsWith('.js') || file.endsWith('.d.ts'))
        .flatMap((file) => [...readFileSync(path.join(at, file), 'utf8').matchAll(IMPORTS)])
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => !/^(\.|node:)/.test(specifier));
      // Its declarations use types of Node.
      const needed = [...new Set(imported.map(packageOf)), '@types/node'];
      const versions = { ...ofServer.devDependencies, ...ofServer.dependencies };
      expect(own.dependencies).to.deep.equal(
        Object.fromEntries(needed.map((name) => [name, versions[name]])),
      );
    });
  });
