import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly hasInstallScript?: true }>
  >;
}

const read = (file: string) => JSON.parse(readFileSync(path.join(packageRoot, file), 'utf8')) as LockFile;
const DOCS_TOOLS = 'docs/tools/package-lock.json';
const WITH_SCRIPTS = 'config/node-20/package-lock.json';

describe('The lock files', () => {
  for (const file of ['package-lock.json', DOCS_TOOLS, WITH_SCRIPTS])
    it(`${file} contains no registry addresses`, () => {
      const found = Object.entries(read(file).packages).filter(([, { resolved }]) => resolved !== undefined);
      expect(found.map(([name]) => name)).to.deep.equal([]);
    });

  // npm 10 runs the install scripts of all packages marked in a lock file, even if package.json restricts
  // them with allowScripts.
  for (const file of ['package-lock.json', DOCS_TOOLS])
    it(`${file} marks no package as one with an install script`, () => {
      const found = Object.entries(read(file).packages).filter(([, one]) => one.hasInstallScript);
      expect(
        found.map(([name]) => name),
        'Remove the lines with hasInstallScript.',
      ).to.deep.equal([]);
    });
});
