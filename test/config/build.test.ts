/** Runs the build script in a folder without development dependencies. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

describe('The build', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-build-')));
    for (const script of ['build.mjs', 'node-version.mjs', 'sqlite.mjs', 'write-build-info.mjs']) {
      write(`config/build/${script}`, '');
      copyFileSync(
        path.join(packageRoot, 'config', 'build', script),
        path.join(folder, 'config', 'build', script),
      );
    }
    write('package.json', JSON.stringify({ name: 'x', version: '1.2.3', type: 'module' }));
    for (const name of ['@swc', 'sucrase', 'es-module-lexer']) {
      mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
      symlinkSync(path.join(packageRoot, 'node_modules', name), path.join(folder, 'node_modules', name));
    }
    write('main.ts', "import { twice, type N } from './media/twice.ts';\nconsole.log(twice(21 as N));\n");
    write('media/twice.ts', 'export type N = number;\nexport const twice = (n: N): N => n * 2;\n');
    write('media/gone.ts', 'export {};\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const build = (...more: readonly string[]) =>
    spawnSync(process.execPath, ['config/build/build.mjs', ...more], { cwd: folder, encoding: 'utf8' });
  const main = () => execFileSync(process.execPath, ['dist/main.js'], { cwd: folder, encoding: 'utf8' });
  const isBuilt = (file: string) => existsSync(path.join(folder, 'dist', file));

  it('needs no TypeScript compiler', () => {
    expect(build().stderr).to.match(/^Building 3 of 3 files \.\.\.\nBuilt in \d+\.\d s\.\n$/);
    expect(main()).to.equal('42\n');
    expect(isBuilt('build-info.json')).to.equal(true);
  });

  it('compiles nothing when nothing has changed, and says nothing', () => {
    build();
    expect(build().stderr).to.equal('');
  });

  it('compiles what has changed, be it an older file that was put back', () => {
    build();
    write('media/twice.ts', 'export type N = number;\nexport const twice = (n: N): N => n * 3;\n');
    utimesSync(path.join(folder, 'media', 'twice.ts'), 1_000_000, 1_000_000);
    expect(build().stderr).to.match(/^Building 1 of 3 files/);
    expect(main()).to.equal('63\n');
  });

  it('keeps line and column of the sources, and leaves nothing behind of one that is gone', () => {
    write(
      'main.ts',
      'interface A {\n  a: string;\n}\nconst a: A | undefined = undefined;\nthrow new Error(a);\n',
    );
    build();
    expect(isBuilt('media/gone.js')).to.equal(true);
    rmSync(path.join(folder, 'media', 'gone.ts'));
    build();
    expect([isBuilt('media/twice.js'), isBuilt('media/gone.js')]).to.deep.equal([true, false]);
    const { stderr } = spawnSync(process.execPath, ['dist/main.js'], { cwd: folder, encoding: 'utf8' });
    expect(stderr).to.include('main.js:5:7');
  });

  it('makes calls of the elements of the page, each on the line where it stands', () => {
    write(
      'page/one.tsx',
      'interface P {\n  a: string;\n}\nexport const One = ({ a }: P) =>\n  <b>{a}</b>;\n',
    );
    write('page/two.tsx', 'import { One } from \'./one.tsx\';\nexport const two = <One a="x" />;\n');
    expect(build().status).to.equal(0);
    const readBuilt = (file: string) => readFileSync(path.join(folder, 'dist', file), 'utf8').split('\n');
    expect(readBuilt('page/one.js')[4]).to.match(/^ +_jsx\('b', \{/);
    expect(readBuilt('page/one.js')[0]).to.include('"preact/jsx-runtime"');
    expect(readBuilt('page/two.js')[0]).to.match(/from '\.\/one\.js';$/);
  });

  it('ends with the place of a mistake that it cannot compile', () => {
    write('media/twice.ts', 'export const twice = (n: number =>\n');
    const { status, stderr } = build();
    expect(status).to.equal(1);
    expect(stderr).to.include('media/twice.ts:1');
  });

  it('takes further folders along when they are named', () => {
    write(
      'test/one.ts',
      "import { twice } from '../media/twice.ts';\nexport const four: number = twice(2);\n",
    );
    expect(build().status).to.equal(0);
    expect(isBuilt('test/one.js')).to.equal(false);
    build('test');
    expect(isBuilt('test/one.js')).to.equal(true);
  });

  it('declares the SDK anew when a source changes that it takes types from, wherever that is', () => {
    symlinkSync(
      path.join(packageRoot, 'node_modules', 'typescript'),
      path.join(folder, 'node_modules', 'typescript'),
    );
    const options = { declaration: true, emitDeclarationOnly: true, allowImportingTsExtensions: true };
    const places = {
      rootDir: '../..',
      outDir: '../../dist',
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023'],
      types: [],
    };
    write(
      'components/sdk/tsconfig.json',
      JSON.stringify({ compilerOptions: { ...options, ...places }, files: ['detector.ts'] }),
    );
    write('components/sdk/detector.ts', "export type { N } from '../../media/twice.ts';\n");
    expect(build().status).to.equal(0);
    expect(isBuilt('media/twice.d.ts')).to.equal(true);
    write('media/twice.ts', 'export type N = bigint;\nexport const twice = (n: N): N => n * 2n;\n');
    expect(build().status).to.equal(0);
    const declared = readFileSync(path.join(folder, 'dist/media/twice.d.ts'), 'utf8');
    expect(declared).to.include('type N = bigint');
  });
});
