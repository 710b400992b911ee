/**
 * Files that `npm ci` removes from installed packages. Runs the script in folders that look like an
 * installation.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

const OWN = path.join('bin', 'napi-v6', process.platform, process.arch, 'runtime.so');
const OTHERS = path.join('bin', 'napi-v6', 'otheros', 'x64', 'runtime.so');

/** Both C libraries of Linux count as the same system. */
const SQLITE = ['', 'musl'].map((kind) => `prebuilds/${process.platform}${kind}-${process.arch}.node`);

describe('The trimming of installed packages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-trim-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const put = (file: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), 'x'.repeat(200_000));
  };
  const installPackage = (name: string, ...files: readonly string[]) =>
    ['package.json', ...files].forEach((file) => put(path.join('node_modules', name, file)));
  const has = (...parts: readonly string[]) => existsSync(path.join(folder, 'node_modules', ...parts));
  const trim = (place = folder, env: Readonly<Record<string, string>> = {}) => {
    const script = path.join(place, 'config', 'build', 'trim-modules.mjs');
    mkdirSync(path.dirname(script), { recursive: true });
    copyFileSync(path.join(packageRoot, 'config', 'build', 'trim-modules.mjs'), script);
    return execFileSync(process.execPath, [script], { env, encoding: 'utf8' });
  };

  it('removes runtimes of other systems, leftovers and source maps, and says how much of what', () => {
    installPackage('onnxruntime-node', OWN, OTHERS);
    installPackage('better-sqlite3', ...SQLITE, 'prebuilds/otheros-x64.node', 'deps/sqlite3.c');
    installPackage('other', 'index.js', 'index.js.map', 'data.map');
    const said = trim();
    expect(said).to.match(/0\.2 MB {2}onnxruntime-node: the runtimes of other systems/);
    expect(said).to.match(/0\.4 MB {2}better-sqlite3: its sources, and the binaries of other systems/);
    expect(said)
      .to.match(/0\.2 MB {2}source maps of all packages/)
      .and.match(/0\.8 MB {2}in all/);
    expect([has('onnxruntime-node', OWN), has('onnxruntime-node', OTHERS)]).to.deep.equal([true, false]);
    const sqlite = [...SQLITE, 'prebuilds/otheros-x64.node', 'deps/sqlite3.c'];
    expect(sqlite.map((file) => has('better-sqlite3', file))).to.deep.equal([true, true, false, false]);
    const kept = ['index.js', 'index.js.map', 'data.map'].map((file) => has('other', file));
    expect(kept).to.deep.equal([true, false, true]);
  });

  it('removes sources and other systems of usearch, where one binary may be for two processors', () => {
    const own = `prebuilds/${process.platform}-other+${process.arch}/usearch.node`;
    installPackage('usearch', own, 'prebuilds/otheros-x64/usearch.node', 'include/index.hpp');
    expect(trim()).to.match(/0\.4 MB {2}usearch: its sources/);
    const files = [own, 'prebuilds/otheros-x64/usearch.node', 'include/index.hpp', 'package.json'];
    expect(files.map((file) => has('usearch', file))).to.deep.equal([true, false, false, true]);
  });

  it('does nothing the second time, and says nothing', () => {
    installPackage('onnxruntime-node', OWN, OTHERS);
    trim();
    expect(trim()).to.equal('');
    expect(has('onnxruntime-node', OWN)).to.equal(true);
  });

  it('keeps everything with TRIM_MODULES=false', () => {
    installPackage('onnxruntime-node', OWN, OTHERS);
    expect(trim(folder, { TRIM_MODULES: 'false' })).to.equal('');
    expect(has('onnxruntime-node', OTHERS)).to.equal(true);
  });

  it('keeps all runtimes when it does not find that of this system', () => {
    installPackage('onnxruntime-node', OTHERS);
    expect(trim()).to.equal('');
    expect(has('onnxruntime-node', OTHERS)).to.equal(true);
  });

  it('is content with folders in which nothing is installed', () => {
    expect(trim()).to.equal('');
  });

  it('finds packages beside an installed product, and leaves the maps of others alone', () => {
    installPackage('onnxruntime-node', OWN, OTHERS);
    installPackage('other', 'index.js.map');
    const product = path.join(folder, 'node_modules', 'troupe');
    expect(trim(product)).to.include('onnxruntime-node');
    expect([has('onnxruntime-node', OTHERS), has('other', 'index.js.map')]).to.deep.equal([false, true]);
  });
});
