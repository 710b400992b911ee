/** `npm run dev`: builds and serves, and does both again whenever a source of the product changes. Arguments go to `troupe serve`. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

const SETTLE_MS = 200;
const SOURCE = /\.(ts|tsx|mjs|json)$/;
const LEFT_OUT = /^(\..*|dist|node_modules|test|docs|data|samples)$/;
let server;
let timer;

function start() {
  if (spawnSync(process.execPath, ['config/build/build.mjs'], { stdio: 'inherit' }).status !== 0) return;
  server = spawn(process.execPath, ['dist/cli/main.js', 'serve', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
}

/** One that is stopped takes its components along, and jobs go on with the next one. */
function restart(file) {
  process.stdout.write(`${file} has changed\n`);
  if (server === undefined || server.exitCode !== null) return start();
  server.once('exit', start);
  server.kill('SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    if (server === undefined || server.exitCode !== null) process.exit(0);
    server.removeAllListeners('exit').once('exit', (code) => process.exit(code ?? 0));
    server.kill('SIGTERM');
  });

// Folder by folder: many editors write a new file and rename it, of which only its folder hears.
for (const folder of folders('.'))
  watch(folder, (_, name) => {
    const file = path.join(folder, String(name));
    if (!SOURCE.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => restart(file), SETTLE_MS);
  });
start();

function folders(parent) {
  const below = readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !LEFT_OUT.test(entry.name))
    .flatMap(({ name }) => folders(path.join(parent, name)));
  return [parent, ...below];
}
