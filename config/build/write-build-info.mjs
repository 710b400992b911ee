/**
 * Writes what this build was made of (specification 2.7) to dist/build-info.json: version, build number,
 * and branch and hash when this folder is a git checkout of its own. Without git, what an earlier build of
 * the same version knew stays: an installed package brings it along. It never fails a build.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = path.join(root, 'dist');
const file = path.join(folder, 'build-info.json');

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const buildNum = firstOf(['BUILD_NUMBER', 'GITHUB_RUN_NUMBER', 'CI_PIPELINE_IID']) ?? '0';
const found = checkout();
const info = { version, buildNum, gitBranch: 'unknown', gitHash: 'unknown', ...(found ?? earlier()) };
mkdirSync(folder, { recursive: true });
writeFileSync(file, `${JSON.stringify(info)}\n`);

/** Branch and hash; undefined when this folder is no checkout, or lies in somebody else's. */
function checkout() {
  try {
    if (realpathSync(git('rev-parse', '--show-toplevel')) !== realpathSync(root)) return undefined;
    const gitHash = git('rev-parse', 'HEAD');
    const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
    // Build servers check out a commit, not a branch, and say its name beside.
    const named =
      branch === 'HEAD' ? firstOf(['GITHUB_REF_NAME', 'CI_COMMIT_REF_NAME', 'BRANCH_NAME']) : branch;
    return { gitHash, gitBranch: named ?? 'unknown' };
  } catch {
    return undefined;
  }
}

function earlier() {
  try {
    const before = JSON.parse(readFileSync(file, 'utf8'));
    return before.version === version ? before : undefined;
  } catch {
    return undefined;
  }
}

/** Git, as it is called by hand: a hook that runs this must not lead it elsewhere. */
function git(...args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = { cwd: root, env, encoding: 'utf8', timeout: 5_000, stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync('git', args, options).trim();
}

function firstOf(names) {
  return names
    .map((name) => process.env[name]?.trim())
    .find((value) => value !== undefined && /^[\w./+-]{1,200}$/.test(value));
}
