/**
 * Programs of Debian that tests of the service ring put real questions to. Where they are missing, root installs them, unless --no-install
 * is given; everybody else is told which ones, and those tests are skipped. As a program of its own (node test/requirements.mjs) it does
 * this and nothing else.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Each with the package that brings it. */
const NEEDED = [
  ['chromium', 'chromium'],
  ['haproxy', 'haproxy'],
  ['nginx', 'nginx-light'],
  ['openssl', 'openssl'],
  ['promtool', 'prometheus'],
  ['python3', 'python3'],
  ['redis-server', 'redis-server'],
  ['systemd-analyze', 'systemd'],
];
const LONGEST_MS = 180_000;

export function installRequirements() {
  const missing = NEEDED.filter(([program]) => !runs('which', [program]));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const isRoot = process.getuid?.() === 0 && runs('which', ['apt-get']);
  if (isRoot && !process.argv.includes('--no-install') && installed(packages)) return;
  const programs = missing.map(([program]) => program).join(', ');
  say(`Skips tests that need ${programs}. Install the Debian packages ${packages.join(', ')} to run them.`);
}

function installed(packages) {
  say(`Installs as root the Debian packages that tests need: ${packages.join(', ')}.`);
  say('To prevent this: npm test -- --no-install');
  return install(packages) || (aptGet(['update']) && install(packages));
}

const say = (line) => process.stderr.write(`${line}\n`);
const install = (packages) => aptGet(['install', '--yes', '--no-install-recommends', ...packages]);
const aptGet = (words) => runs('apt-get', ['--quiet', ...words]);

function runs(program, words) {
  // Of what is installed no daemon is to be started: only the programs are asked.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(program, words, { env, timeout: LONGEST_MS, stdio: 'ignore' }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installRequirements();
