/**
 * `node docs/tools/run.mjs TOOL...`: runs a tool of this folder. Their packages are installed first when they are missing, without
 * install scripts: `npm ci` of the product does not install them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [tool, ...rest] = process.argv.slice(2);
process.chdir(path.resolve(here, '..', '..'));
if (!existsSync(path.join(here, 'node_modules')))
  execFileSync('npm', ['ci', '--prefix', here, '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
process.argv.splice(1, 2, path.join(here, `${tool}.mjs`));
process.argv.splice(2, Infinity, ...rest);
await import(`./${tool}.mjs`);
