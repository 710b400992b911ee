/**
 * SQLite for a checkout on Node 20: better-sqlite3 12 with a lock file of its own (config/node-20), compiled when no prebuilt file can be
 * fetched. Only the code below dist/ finds it, by a link. On newer Nodes there is nothing to install: better-sqlite3 13 brings its binaries.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsSqlite } from './node-version.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = path.join(root, 'config', 'node-20');
const BINARY = 'better-sqlite3/build/Release/better_sqlite3.node';

const sqliteLink = path.join(root, 'dist', 'node_modules');

/** Makes better-sqlite3 of the right version what dist/ loads. Throws when it cannot be compiled. */
export function prepareSqlite() {
  // Also what another version of Node has left there.
  if (runsSqlite(process.versions)) return rmSync(sqliteLink, { force: true });
  if (!existsSync(folder)) return;
  if (!existsSync(path.join(folder, 'node_modules', BINARY))) install();
  if (existsSync(sqliteLink)) return;
  rmSync(sqliteLink, { force: true });
  symlinkSync(path.join('..', 'config', 'node-20', 'node_modules'), sqliteLink);
}

function install() {
  process.stderr.write(
    `Node ${process.versions.node}: installing SQLite for it, which takes 1 to 2 minutes where it is compiled ...\n`,
  );
  const npm = process.env.npm_execpath;
  const [program, words] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  try {
    execFileSync(program, [...words, 'ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    throw new Error(
      'SQLite could not be compiled for Node 20. Install python3, make and g++, or use Node 22, 24 or 26.',
      { cause: error },
    );
  }
}
