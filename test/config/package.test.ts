/** The package that `npm pack` makes: what is in it, and that it runs in a folder that has nothing else. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

const MAX_BYTES = 20_000_000;

describe('The package', function () {
  this.timeout(240_000);
  let folder: string;
  let archive: string;
  before(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-package-')));
    // What `prepare` does has been done for the tests.
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(
      execFileSync('npm', pack, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as [{ filename: string }];
    archive = path.join(folder, filename);
    install();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What `npm install` makes of the archive; its dependencies are those of this checkout, so no registry is asked. */
  function install(): void {
    const modules = path.join(folder, 'node_modules');
    mkdirSync(path.join(modules, '.bin'), { recursive: true });
    execFileSync('tar', ['xzf', archive, '-C', modules]);
    execFileSync('mv', [path.join(modules, 'package'), path.join(modules, 'troupe')]);
    symlinkSync(path.join('..', 'troupe', 'cli', 'troupe.mjs'), path.join(modules, '.bin', 'troupe'));
    for (const { name, folder: from } of dependencies()) {
      mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
      symlinkSync(from, path.join(modules, name));
    }
  }

  function dependencies() {
    const text = readFileSync(path.join(folder, 'node_modules', 'troupe', 'package.json'), 'utf8');
    const { dependencies: listed } = JSON.parse(text) as { dependencies: Record<string, string> };
    return Object.keys(listed).map((name) => ({
      name,
      folder: path.join(packageRoot, 'node_modules', name),
    }));
  }

  const files = () =>
    readdirSync(path.join(folder, 'node_modules', 'troupe'), { recursive: true }) as string[];

  it('is smaller than 20 MB, with licences, models and documents, without tests, sources and maps', () => {
    expect(statSync(archive).size).to.be.below(MAX_BYTES);
    expect(files()).to.include.members([
      'LICENSE',
      'NOTICE',
      'README.md',
      'docs/operations.md',
      'docs/configuration.md',
      'components/faces/model/blazeface.onnx',
      'components/faces/model/LICENSE.md',
      'components/markup/font/DejaVuSans-Bold.ttf',
      'templates/component/descriptor.json',
      'page/index.html',
      'page/style.css',
      'dist/page/main.js',
    ]);
    const unwanted = files().filter(
      (file) => /^(dist\/)?test\b|\.map$|\.tsbuildinfo|^samples\b/.test(file) || /^(?!dist\/|templates\/).*\.ts$/.test(file), // oxfmt-ignore
    );
    expect(unwanted).to.deep.equal([]);
  });

  it('holds what the components read beside their code', () => {
    const kept = ['descriptor.json', '.onnx', '.ttf', 'general.json'];
    const sources = readdirSync(path.join(packageRoot, 'components'), { recursive: true }) as string[];
    const needed = sources.filter((file) => kept.some((end) => file.endsWith(end)));
    expect(needed).to.have.length.above(15);
    expect(files()).to.include.members(needed.map((file) => path.join('components', file)));
  });

  it('runs a job from a folder that has nothing but it', () => {
    copyFileSync(path.join(packageRoot, 'samples', 'astronaut.png'), path.join(folder, 'astronaut.png'));
    const { PATH = '' } = process.env;
    const command = ['analyze', 'astronaut.png', '--pipeline', 'FACE DETECTION PIPELINE', '--json'];
    const { status, stdout, stderr } = spawnSync('node_modules/.bin/troupe', command, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, HOME: folder, DATA_DIR: path.join(folder, 'data') },
    });
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('"FACE"');
  });

  it('has the types of troupe/sdk, and nothing else to import', () => {
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
    const other = ['--input-type=module', '-e', "await import('troupe/dist/main.js')"];
    expect(spawnSync(process.execPath, other, { cwd: folder, encoding: 'utf8' }).stderr).to.include(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});
