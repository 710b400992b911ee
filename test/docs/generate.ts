/** `npm run docs:generate`: writes the generated pages of the documentation that have changed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GENERATED } from './pages.ts';

for (const [file, page] of Object.entries(GENERATED)) {
  const text = page();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`Wrote ${file}.`);
}
