#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { refusalOfNode } from '../config/build/node-version.mjs';

const main = new URL('../dist/cli/main.js', import.meta.url);
const isThere = (file) => existsSync(new URL(`../${file}`, import.meta.url));
const refusal = refusalOfNode(process.versions, {
  isCheckout: isThere('config/node-20'),
  hasOwnSqlite: isThere('dist/node_modules/better-sqlite3'),
});
if (refusal !== undefined) fail(refusal);
else if (existsSync(main)) await import(main.href);
else fail('Troupe is not built yet: run `npm run build` in its folder.');

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}
