/** Tests for a folder that contains only the installed package. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

export interface InstalledPackage {
  /** The folder that contains it in `node_modules`. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Tests of a package that `unpack` writes into a folder. Its dependencies come from this checkout, so no
 * registry is used.
 */
export function installedPackage(unpack: (to: string) => void | Promise<void>): () => InstalledPackage {
  let folder: string;
  let files: readonly string[];
  before(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-package-')));
    const modules = path.join(folder, 'node_modules');
    const own = path.join(modules, 'troupe');
    mkdirSync(path.join(modules, '.bin'), { recursive: true });
    await unpack(own);
    symlinkSync(path.join('..', 'troupe', 'cli', 'troupe.mjs'), path.join(modules, '.bin', 'troupe'));
    for (const name of dependenciesOf(own)) {
      mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
      symlinkSync(path.join(packageRoot, 'node_modules', name), path.join(modules, name));
    }
    files = readdirSync(own, { recursive: true }) as string[];
    // The package needs Node 22.14 or newer. On an older version, these tests use the SQLite module of this
    // checkout.
    const sqlite = path.join(packageRoot, 'dist', 'node_modules');
    if (existsSync(sqlite)) symlinkSync(realpathSync(sqlite), path.join(own, 'dist', 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has licences, models and documents, and no tests, sources and maps', () => {
    expect(files).to.include.members([
      'LICENSE',
      'NOTICE',
      'README.md',
      'docs/guides/run-a-cluster.md',
      'docs/reference/settings.md',
      'components/detectors/faces/model/blazeface.onnx',
      'components/detectors/faces/model/LICENSE.md',
      'components/builtin/markup/font/DejaVuSans-Bold.ttf',
      'templates/component/descriptor.json',
      'page/index.html',
      'page/styles/tokens.css',
      'samples/ATTRIBUTION.md',
      'samples/race.jpg',
      'store/redis/scripts/rules/ledger.lua',
      'store/redis/scripts/work/claim.lua',
      'dist/page/main.js',
    ]);
    const unwanted = files.filter(
      (file) => /^(dist\/)?test\b|\.map$|\.tsbuildinfo|^samples\/(?!ATTRIBUTION|face_move|race|text)/.test(file) || /^(?!dist\/|templates\/).*\.ts$/.test(file), // oxfmt-ignore
    );
    expect(unwanted).to.deep.equal([]);
  });

  it('holds what the components read beside their code', () => {
    const kept = ['descriptor.json', '.onnx', '.ttf', 'general.json'];
    const sources = readdirSync(path.join(packageRoot, 'components'), { recursive: true }) as string[];
    const needed = sources.filter((file) => kept.some((end) => file.endsWith(end)));
    expect(needed).to.have.length.above(15);
    expect(files).to.include.members(needed.map((file) => path.join('components', file)));
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

  it('has nothing to import but troupe/sdk, with its types', () => {
    const { exports } = JSON.parse(
      readFileSync(path.join(folder, 'node_modules', 'troupe', 'package.json'), 'utf8'),
    ) as { exports: Record<string, string | Record<string, string>> };
    const exported = Object.values(exports).flatMap((to) =>
      typeof to === 'string' ? to : Object.values(to),
    );
    expect(files).to.include.members(exported.map((file) => path.normalize(file)));
    const other = ['--input-type=module', '-e', "await import('troupe/dist/main.js')"];
    expect(spawnSync(process.execPath, other, { cwd: folder, encoding: 'utf8' }).stderr).to.include(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  return () => ({ folder, files });
}

function dependenciesOf(own: string): readonly string[] {
  const text = readFileSync(path.join(own, 'package.json'), 'utf8');
  type Names = Readonly<Record<string, string>>;
  const listed = JSON.parse(text) as { dependencies: Names; optionalDependencies: Names };
  return Object.keys({ ...listed.dependencies, ...listed.optionalDependencies });
}
