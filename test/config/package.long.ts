/** The package from `npm pack`: its size, and the same tests of its files as in `npm test`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';
import { installedPackage } from './package-suite.ts';

const MAX_BYTES = 20_000_000;

describe('The package', function () {
  this.timeout(240_000);
  let packed: string;
  let archive: string;
  before(() => {
    packed = mkdtempSync(path.join(tmpdir(), 'troupe-packed-'));
  });
  after(() => rmSync(packed, { recursive: true, force: true }));
  const installPackage = installedPackage((to) => {
    // The `prepare` script has already run for the tests.
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', packed];
    const [{ filename }] = JSON.parse(
      execFileSync('npm', pack, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as [{ filename: string }];
    archive = path.join(packed, filename);
    execFileSync('tar', ['xzf', archive, '-C', packed]);
    renameSync(path.join(packed, 'package'), to);
  });

  it('is smaller than 20 MB', () => expect(statSync(archive).size).to.be.below(MAX_BYTES));

  it('has types with which a detector compiles', () => {
    const { folder } = installPackage();
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      path.join(folder, 'detector.ts'),
      `import { DetectionError, type Detector } from 'troupe/sdk';
       export default async (): Promise<Detector> => ({ async *image(frame) { throw new DetectionError('DETECTION_FAILED', String(frame.width)); } });`,
    );
    const compiler = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', path.join(packageRoot, 'node_modules', '@types')];
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023',
      ...types,
    ];
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, 'detector.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(status, stdout).to.equal(0);
  });
});
