/**
 * Build information in GET /rest/info (specification 2.7), which `npm run build` writes with or without git.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';

const SCRIPT = path.join('config', 'build', 'write-build-info.mjs');

describe('The build info', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-build-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A package with one script and a version. */
  const packageIn = (place: string, version = '1.2.3') => {
    mkdirSync(path.join(place, 'config', 'build'), { recursive: true });
    copyFileSync(path.join(packageRoot, SCRIPT), path.join(place, SCRIPT));
    writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name: 'x', version }));
    return place;
  };
  const build = (place: string, env: Readonly<Record<string, string>> = {}) => {
    const { PATH } = process.env;
    execFileSync(process.execPath, [path.join(place, SCRIPT)], { cwd: tmpdir(), env: { PATH, ...env } });
    return JSON.parse(readFileSync(path.join(place, 'dist', 'build-info.json'), 'utf8')) as Record<
      string,
      string
    >;
  };
  const git = (place: string, ...args: readonly string[]) => {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    return execFileSync('git', [...who, ...args], { cwd: place, encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const checkout = (place: string) => {
    packageIn(place);
    git(place, 'init', '-q', '-b', 'some-branch');
    git(place, 'add', '.');
    git(place, 'commit', '-q', '-m', 'first');
    return git(place, 'rev-parse', 'HEAD');
  };

  it('says unknown and 0 without git', () => {
    packageIn(folder);
    const unknown = { version: '1.2.3', buildNum: '0', gitBranch: 'unknown', gitHash: 'unknown' };
    expect(build(folder)).to.deep.equal(unknown);
    expect(build(folder, { PATH: '/nonexistent' }), 'no git program').to.deep.equal(unknown);
  });

  it('names branch and hash of a checkout, and the number that the build server gives', () => {
    const gitHash = checkout(folder);
    const env = { BUILD_NUMBER: '417', GIT_DIR: '/nonexistent' };
    expect(build(folder, env)).to.deep.equal({
      version: '1.2.3',
      buildNum: '417',
      gitBranch: 'some-branch',
      gitHash,
    });
    expect(build(folder, { BUILD_NUMBER: '<script>' })['buildNum']).to.equal('0');
  });

  it('works in a detached and in a shallow checkout', () => {
    const gitHash = checkout(folder);
    git(folder, 'checkout', '-q', '--detach');
    expect(build(folder)).to.include({ gitBranch: 'unknown', gitHash });
    expect(build(folder, { GITHUB_REF_NAME: 'release/1' })).to.include({ gitBranch: 'release/1', gitHash });
    const shallow = path.join(folder, 'shallow');
    git(
      folder,
      'clone',
      '-q',
      '--depth',
      '1',
      '--branch',
      'some-branch',
      pathToFileURL(folder).href,
      shallow,
    );
    expect(build(shallow)).to.include({ gitBranch: 'some-branch', gitHash });
  });

  it('does not take the repository around an installed package for its own', () => {
    checkout(folder);
    const installed = packageIn(path.join(folder, 'node_modules', 'troupe'));
    expect(build(installed)).to.include({ gitBranch: 'unknown', gitHash: 'unknown' });
  });

  it('keeps what an earlier build of the same version knew, when there is no git any more', () => {
    const gitHash = checkout(folder);
    build(folder, { BUILD_NUMBER: '417' });
    rmSync(path.join(folder, '.git'), { recursive: true });
    expect(build(folder)).to.include({ gitBranch: 'some-branch', gitHash, buildNum: '417' });
    packageIn(folder, '1.2.4');
    expect(build(folder)).to.include({ gitHash: 'unknown', buildNum: '0' });
  });
});
