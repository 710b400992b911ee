/**
 * Makes the dist/ of a package that is installed alone, with declarations: `node config/build/package.mjs client`. It takes what the
 * entry of the package needs of the compiled sources, and nothing else. `npm pack` runs it in the folder of the package.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = path.resolve(process.argv[2] ?? '.');
const { exports, build } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const dist = path.join(folder, 'dist');
const declared = path.join(dist, '.declared');
const inDist = (file) => path.relative('dist', path.normalize(file));

const node = (script, ...args) =>
  execFileSync(process.execPath, [path.join(root, script), ...args], { stdio: ['ignore', 2, 2] });
node('config/build/build.mjs');
rmSync(dist, { recursive: true, force: true });
copyWithImports(path.join(root, 'dist'), inDist(exports['.'].default));
node('node_modules/typescript/bin/tsc', '-p', folder, '--outDir', declared);
copyWithImports(declared, inDist(exports['.'].types));
rmSync(declared, { recursive: true });
cpSync(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));
for (const [from, to] of Object.entries(build?.assets ?? {}))
  cpSync(path.join(root, from), path.join(folder, to), { recursive: true });

/** Copies a file and all that it imports, or has a thread or a process begin with. */
function copyWithImports(from, first) {
  const files = new Set([first]);
  for (const file of files) {
    const text = readFileSync(path.join(from, file), 'utf8');
    mkdirSync(path.dirname(path.join(dist, file)), { recursive: true });
    cpSync(path.join(from, file), path.join(dist, file));
    for (const target of importsOf(file, text))
      if (build?.without?.includes(target) !== true) files.add(target);
  }
}

function importsOf(file, text) {
  const specifiers = /(?:\bfrom|\bimport|\bregister|\bnew URL)\s*\(?\s*['"](\.\.?\/[^'"]+\.[jt]s)['"]/g;
  return [...text.matchAll(specifiers)].map(([, specifier]) => {
    const target = path.join(path.dirname(file), specifier);
    return file.endsWith('.d.ts') ? target.replace(/\.[jt]s$/, '.d.ts') : target;
  });
}
