/**
 * `npm run test:nodes [VERSION...]`: the steps of a new user with each supported version of Node and a
 * matching npm. Each run clones the last commit into an empty folder without a working compiler, and runs
 * `npm ci`, `npm run demo` and `npm test`. Node and npm come from the npm registry. Works on Linux and macOS.
 * Prints one line per version and exits with 0 if all passed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  lstatSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Supported versions of Node, each with a common version of npm. */
const NPM_OF = { 22: '10', 24: '11', 26: '12' };
const MOST_BYTES_INSTALLED = 500e6;
const COMMANDS = [['ci'], ['run', 'demo'], ['test']];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2);
const results = (wanted.length > 0 ? wanted : Object.keys(NPM_OF)).map(tryOut);
for (const { version, problems, said } of results)
  console.log(
    `Node ${version}: ${problems.length === 0 ? 'passed' : problems.join('; ')} (${said.join(', ')})`,
  );
process.exit(results.every(({ problems }) => problems.length === 0) ? 0 : 1);

/** Runs the commands with one version of Node. */
function tryOut(wantedVersion) {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-node-'));
  try {
    const env = environment(folder, wantedVersion);
    const version = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim().slice(1);
    const clone = path.join(folder, 'troupe');
    execFileSync('git', ['clone', '--quiet', root, clone]);
    return { version, ...runCommands(clone, env, version) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runCommands(clone, env, version) {
  const said = [];
  for (const words of COMMANDS) {
    const command = `npm ${words.join(' ')}`;
    console.log(`\n### Node ${version}: ${command}\n`);
    const began = performance.now();
    const { status, stderr } = spawnSync('npm', words, {
      ...{ cwd: clone, env, encoding: 'utf8', stdio: ['ignore', 'inherit', 'pipe'] },
    });
    process.stderr.write(stderr);
    said.push(`${command} ${Math.round((performance.now() - began) / 1000)} s`);
    if (status !== 0) return { said, problems: [`${command} failed`] };
    const problems = words[0] === 'ci' ? problemsOfInstallation(clone, stderr, said) : [];
    if (problems.length > 0) return { said, problems };
  }
  return { said, problems: [] };
}

/** Warnings of npm about this project and its size, without those about the user's settings. */
function problemsOfInstallation(clone, stderr, said) {
  const bytes = sizeOf(path.join(clone, 'node_modules'));
  said.push(`node_modules ${Math.round(bytes / 1e6)} MB`);
  const warnings = stderr.split('\n').filter((line) => /^npm warn/i.test(line) && !/user config/.test(line));
  return [
    ...warnings.map((line) => `npm ci printed "${line}"`),
    ...(bytes > MOST_BYTES_INSTALLED ? [`node_modules has more than ${MOST_BYTES_INSTALLED / 1e6} MB`] : []),
  ];
}

function sizeOf(file) {
  const found = lstatSync(file);
  if (!found.isDirectory()) return found.size;
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
}

/**
 * PATH begins with the given Node and npm, and compilers fail. The environment of the running npm is not
 * passed on.
 */
function environment(folder, version) {
  const tools = path.join(folder, 'tools');
  const bin = path.join(folder, 'bin');
  mkdirSync(tools);
  mkdirSync(bin);
  writeFileSync(path.join(tools, 'package.json'), '{}');
  const node = `node-${process.platform}-${process.arch}`;
  const packages = [`${node}@${version}`, `npm@${NPM_OF[Number.parseInt(version)] ?? 'latest'}`];
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|INIT_CWD)/i.test(name));
  const env = { ...Object.fromEntries(own), CC: '/bin/false', CXX: '/bin/false' };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
    ...{ cwd: tools, env, stdio: 'inherit' },
  });
  symlinkSync(path.join(tools, 'node_modules', node, 'bin', 'node'), path.join(bin, 'node'));
  for (const name of ['npm', 'npx']) {
    const program = path.join(tools, 'node_modules', 'npm', 'bin', `${name}-cli.js`);
    chmodSync(program, 0o755);
    symlinkSync(program, path.join(bin, name));
  }
  return { ...env, PATH: `${bin}:${process.env.PATH}` };
}
