/** The files that `npm pack` includes are necessary and sufficient: they run in an otherwise empty folder. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import packlist from 'npm-packlist';
import { packageRoot } from '../../config/info.ts';
import { installedPackage } from './package-suite.ts';

describe('The package', function () {
  this.timeout(240_000);
  installedPackage(async (to) => {
    for (const file of await packedFiles()) {
      mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
      copyFileSync(path.join(packageRoot, file), path.join(to, file));
    }
  });
});

/** The list from npm. Compressing takes longest, so only `npm run test:long` does that. */
function packedFiles(): Promise<readonly string[]> {
  const manifest = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as object;
  return packlist({ path: packageRoot, package: manifest, isProjectRoot: true, edgesOut: new Map() });
}
