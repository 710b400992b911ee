/**
 * `npm run docs:generate`: rewrites the generated pages that have changed. With `--check` it only prints
 * their names and exits with 1 if there are any.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GENERATED } from './pages.ts';

const onlyChecks = process.argv.includes('--check');

for (const [file, page] of Object.entries(GENERATED)) {
  const text = page();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (onlyChecks) {
    console.log(file);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`Wrote ${file}.`);
}
