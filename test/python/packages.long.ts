/** The Python packages, installed with pip into an empty folder. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../results/folder.ts';
import { needsPython, sdkFolder } from './support.ts';

const BUILD_TOOLS = 'import setuptools, pip, wheel';

describe('The Python packages', function () {
  this.timeout(120_000);
  const inFolder = temporaryFolder();

  it('can be installed into an empty folder and started there', function () {
    const python = needsPython(this);
    // Needed to build the packages. Without a network, pip cannot download them.
    if (spawnSync(python, ['-c', BUILD_TOOLS]).status !== 0) this.skip();
    const names = ['python', 'python-reference'];
    // pip writes build files next to the sources, so this uses a copy.
    for (const name of names) cpSync(path.join(sdkFolder, '..', name), inFolder(name), { recursive: true });
    const target = inFolder('installed');
    run(python, [
      ...['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--no-build-isolation'],
      ...['--target', target, ...names.map((name) => inFolder(name))],
    ]);
    for (const [program, said] of [
      ['troupe-component', 'Runs a detector that is written in Python.'],
      ['troupe-reference', "Runs a component of the reference system's Python API."],
    ] as const)
      expect(run(python, [path.join(target, 'bin', program), '--help'], target)).to.contain(said);
  });
});

function run(python: string, args: readonly string[], installed = ''): string {
  const env = { ...process.env, PYTHONPATH: installed };
  const { status, stdout, stderr } = spawnSync(python, ['-s', ...args], { env, encoding: 'utf8' });
  expect(status, `${args.join(' ')}:\n${stdout}\n${stderr}`).to.equal(0);
  return stdout;
}
