/**
 * Removes from the installed packages what this product never reads, and says what and how much; about 300 MB of 800. It runs
 * at the end of `npm ci` and `npm install` in this folder, can be run again at any time, and does nothing with
 * TRIM_MODULES=false. What is not there is left out in silence, what cannot be removed is told: it never fails an installation.
 * In an installation of the packed product it is run by hand: node node_modules/troupe/config/trim-modules.mjs
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Package, why, and the files and folders in it that go. */
const LIST = [
  { name: 'onnxruntime-node', why: 'the runtimes of other systems', choose: otherSystems },
  {
    name: 'better-sqlite3',
    why: 'what compiling SQLite left behind',
    choose: these(
      'build/Release/obj',
      'build/Release/obj.target',
      'build/Release/.deps',
      'build/Release/.forge-meta',
      'build/Release/sqlite3.a',
      'build/Release/test_extension.node',
      'build/deps',
    ),
  },
  {
    name: 'pdfjs-dist',
    why: 'what is for browsers: Node is served by legacy/build',
    choose: these(
      'build',
      'web',
      'image_decoders',
      'legacy/web',
      'legacy/image_decoders',
      'legacy/build/pdf.min.mjs',
      'legacy/build/pdf.worker.min.mjs',
      'legacy/build/pdf.sandbox.mjs',
      'legacy/build/pdf.sandbox.min.mjs',
    ),
  },
  {
    name: 'swagger-ui-dist',
    why: 'bundles other than the one of the page at /docs',
    choose: these(
      'swagger-ui.js',
      'swagger-ui-es-bundle.js',
      'swagger-ui-es-bundle-core.js',
      'swagger-ui-standalone-preset.js',
    ),
  },
  {
    name: 'tinyld',
    why: 'its playground and tests',
    choose: these('playground', 'tests-integration', 'dist/benchmark'),
  },
  { name: 'zod', why: 'its sources beside what is compiled', choose: these('src') },
  { name: 'mediabunny', why: 'its sources beside what is compiled', choose: these('src') },
  { name: 'bintrees', why: 'its tests', choose: these('test') },
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
if (process.env.TRIM_MODULES?.trim().toLowerCase() !== 'false') trim();

function trim() {
  const removed = [];
  for (const { name, why, choose } of LIST) {
    const folder = folderOf(name);
    const bytes = folder === undefined ? 0 : remove(choose(folder));
    if (bytes > 0) removed.push([`${name}: ${why}`, bytes]);
  }
  const maps = remove(sourceMaps(path.join(root, 'node_modules')));
  if (maps > 0) removed.push(['source maps of all packages', maps]);
  if (removed.length === 0) return;
  console.log('Removed what is not needed to run (TRIM_MODULES=false keeps it):');
  for (const [what, bytes] of removed) console.log(`  ${megabytes(bytes)}  ${what}`);
  console.log(`  ${megabytes(removed.reduce((sum, [, bytes]) => sum + bytes, 0))}  in all`);
}

/** Where a package is installed, for this one: in its own node_modules, or beside it. */
function folderOf(name) {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(candidate, 'package.json'))) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function these(...names) {
  return (folder) => names.map((name) => path.join(folder, name));
}

/** bin/napi-v6/<system>/<processor>; nothing when this system's own is not among them. */
function otherSystems(folder) {
  const all = entries(path.join(folder, 'bin')).flatMap((version) => entries(version).flatMap(entries));
  const own = all.filter((one) => one.endsWith(path.join(path.sep, process.platform, process.arch)));
  return own.length === 0 ? [] : all.filter((one) => !own.includes(one));
}

function entries(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder).map((name) => path.join(folder, name));
}

function sourceMaps(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|mjs|cjs|ts|mts|cts|css)\.map$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

function remove(paths) {
  let bytes = 0;
  for (const one of paths)
    try {
      if (!existsSync(one)) continue;
      const size = sizeOf(one);
      rmSync(one, { recursive: true, force: true });
      bytes += size;
    } catch (error) {
      console.warn(`${one} was not removed (${error.code ?? error.message}); that does no harm.`);
    }
  return bytes;
}

function sizeOf(one) {
  const found = statSync(one);
  if (!found.isDirectory()) return found.size;
  return entries(one).reduce((sum, entry) => sum + sizeOf(entry), 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
}
