/**
 * Debian programs that the service tests need. If some are missing, root installs them, unless --no-install
 * is given. Otherwise their names are printed and the tests are skipped. `node test/requirements.mjs` does
 * only this.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Each program with its package. */
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
  // Run level 1 prevents daemons from starting: only the programs are used.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(program, words, { env, timeout: LONGEST_MS, stdio: 'ignore' }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installRequirements();
