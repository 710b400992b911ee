/** Packages that are installed without the server: the README examples run in otherwise empty folders. */
import { expect } from 'chai';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../config/info.ts';
import { temporaryFolder } from '../results/folder.ts';
import { Service } from '../support/processes/service.ts';
import { installPacked } from './packages.ts';

const OPTIONS = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  skipLibCheck: false,
};

describe('A package that is installed alone', function () {
  this.timeout(240_000);
  const inFolder = temporaryFolder();

  /** Compiles the first TypeScript example of its README with the declarations of the package. */
  function compileExample(folder: string): string {
    const to = inFolder(path.basename(folder));
    mkdirSync(to);
    installPacked(folder, to);
    const readme = readFileSync(path.join(packageRoot, folder, 'README.md'), 'utf8');
    const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    writeFileSync(path.join(to, 'example.ts'), example);
    writeFileSync(path.join(to, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(to, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['example.ts'] })); // oxfmt-ignore
    const compiler = path.join('node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [compiler, '-p', '.'], { cwd: to });
    return to;
  }

  it('of client/ runs the example of its README against a server', async () => {
    const cwd = compileExample('client');
    const service = await Service.here();
    try {
      mkdirSync(path.join(cwd, 'samples'));
      const medium = path.join('samples', 'face_move.mp4');
      copyFileSync(path.join(packageRoot, medium), path.join(cwd, medium));
      const env = { PATH: process.env['PATH'], TROUPE_URL: service.url, TROUPE_TOKEN: service.token };
      const { stdout } = await promisify(execFile)(process.execPath, ['example.js'], { cwd, env });
      expect(stdout).to.equal('FACE 10 - 89 80\n');
    } finally {
      await service.close();
    }
  });

  it('of sdk/typescript/ loads the detector of its README', () => {
    const cwd = compileExample('sdk/typescript');
    const code = [
      "const { default: load } = await import('./example.js');",
      "const { DetectionError, runComponent } = await import('@troupe/sdk');",
      'console.log(Object.keys(await load()), typeof DetectionError, typeof runComponent);',
    ];
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code.join('\n')], {
      cwd,
      encoding: 'utf8',
    });
    expect(said).to.equal("[ 'image' ] function function\n");
  });
});
