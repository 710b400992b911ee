/**
 * Removes from the installed packages what this product never reads, and says what and how much; about 400 MB of 890. It runs
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
    why: 'its sources, and the binaries of other systems',
    choose: (folder) => [...these('deps', 'src')(folder), ...otherSqlite(folder)],
  },
  {
    name: 'better-sqlite3',
    within: 'config/node-20',
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
    name: 'usearch',
    why: 'its sources, and the binaries of other systems',
    choose: (folder) => [
      ...these('c', 'cmake', 'cpp', 'include', 'numkong', 'javascript/dist/esm')(folder),
      ...otherUsearch(folder),
    ],
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
    why: 'bundles other than the one of the page at /docs/api',
    choose: these(
      'swagger-ui.js',
      'swagger-ui-es-bundle.js',
      'swagger-ui-es-bundle-core.js',
      'swagger-ui-standalone-preset.js',
    ),
  },
  {
    name: 'tinyld',
    why: 'its smaller sets of languages, and what is for browsers and CommonJS',
    choose: (folder) => [
      ...these('playground', 'tests-integration', 'dist/benchmark', 'dist/tinyld.heavy.node.js')(folder),
      ...entries(path.join(folder, 'dist')).filter((file) => /\.(normal|light|browser)\./.test(file)),
    ],
  },
  ...['@modelcontextprotocol/server', '@modelcontextprotocol/core'].map((name) => ({
    name,
    why: 'its builds for CommonJS, and maps',
    choose: (folder) =>
      everythingBelow(path.join(folder, 'dist')).filter((file) => /\.(map|cjs|cts)$/.test(file)),
  })),
  {
    name: 'libheif-js',
    why: 'its builds for bundlers and without WebAssembly',
    choose: these('libheif', 'libheif-wasm/libheif-bundle.js', 'libheif-wasm/libheif-bundle.mjs'),
  },
  { name: 'mqtt', why: 'its builds for browsers', choose: these('dist') },
  {
    name: 'zxing-wasm',
    why: 'its builds for browsers',
    choose: these('dist/full', 'dist/iife', 'dist/miniprogram', 'dist/cjs'),
  },
  { name: '@redocly/config', why: 'its types', choose: these('lib/index.d.ts') },
  { name: 'underscore', why: 'its sources in modules', choose: these('amd', 'cjs', 'modules') },
  { name: 'zod', why: 'its sources beside what is compiled', choose: these('src') },
  { name: 'bintrees', why: 'its tests', choose: these('test') },
  ...[
    'werift',
    'werift-common',
    'werift-dtls',
    'werift-ice',
    'werift-rtp',
    'werift-sctp',
    'mediabunny',
    'mp4box',
    '@noble/curves',
  ].map((name) => ({ name, why: 'WebRTC of node-av, which is not used', choose: content })),
  {
    name: 'core-js',
    why: "polyfills of comedy's forked actors, which are not used",
    choose: content,
  },
  { name: 'playwright-core', why: 'its viewers of traces', choose: these('lib/vite') },
];

/** What goes of every package, as a pattern of absolute paths; licences stay. */
const EVERYWHERE = [
  { why: 'source maps of all packages', pattern: /\.(js|mjs|cjs|ts|mts|cts|css)\.map$/ },
  {
    why: 'documentation of all packages',
    pattern: /\/(readme|changelog|history|contributing)[^/]*\.(md|markdown)$/i,
  },
  {
    why: 'builds of AWS packages for bundlers',
    pattern: /\/@(aws-sdk|smithy|aws-crypto)\/[^/]+\/dist-es$/,
  },
  {
    why: 'builds of OpenTelemetry for bundlers',
    pattern: /\/@opentelemetry\/[^/]+\/build\/(esm|esnext)$/,
  },
  { why: 'types for TypeScript before 4', pattern: /\/dist-types\/ts3\.4$/ },
];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
if (process.env.TRIM_MODULES?.trim().toLowerCase() !== 'false') trim();

function trim() {
  const removed = [];
  for (const { name, within = '.', why, choose } of LIST) {
    const folder = folderOf(name, path.join(root, within));
    const bytes = folder === undefined ? 0 : remove(choose(folder));
    if (bytes > 0) removed.push([`${name}: ${why}`, bytes]);
  }
  const all = everythingBelow(path.join(root, 'node_modules'));
  for (const { why, pattern } of EVERYWHERE) {
    const bytes = remove(all.filter((file) => pattern.test(file)));
    if (bytes > 0) removed.push([why, bytes]);
  }
  if (removed.length === 0) return;
  console.log('Removed what is not needed to run (TRIM_MODULES=false keeps it):');
  for (const [what, bytes] of removed) console.log(`  ${megabytes(bytes)}  ${what}`);
  console.log(`  ${megabytes(removed.reduce((sum, [, bytes]) => sum + bytes, 0))}  in all`);
}

/** Where a package is installed, for the code in `start`: in its own node_modules, or beside it. */
function folderOf(name, start) {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(candidate, 'package.json'))) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function these(...names) {
  return (folder) => names.map((name) => path.join(folder, name));
}

/** All of a package that is never loaded. What names it, its licence and its own packages stay. */
function content(folder) {
  return entries(folder).filter(
    (file) => !/^(package\.json|licen[cs]e.*|node_modules)$/i.test(path.basename(file)),
  );
}

/** bin/napi-v6/<system>/<processor>; nothing when this system's own is not among them. */
function otherSystems(folder) {
  const all = entries(path.join(folder, 'bin')).flatMap((version) => entries(version).flatMap(entries));
  const own = all.filter((one) => one.endsWith(path.join(path.sep, process.platform, process.arch)));
  return own.length === 0 ? [] : all.filter((one) => !own.includes(one));
}

/** prebuilds/<system>-<processor>.node, where linux and linuxmusl are both Linux; nothing when this system's own is not among them. */
function otherSqlite(folder) {
  const isOwn = (file) =>
    path.basename(file).startsWith(process.platform) && file.endsWith(`-${process.arch}.node`);
  const all = entries(path.join(folder, 'prebuilds'));
  return all.some(isOwn) ? all.filter((file) => !isOwn(file)) : [];
}

/** prebuilds/<system>-<processor>[+<processor>]; nothing when this system's own is not among them. */
function otherUsearch(folder) {
  const all = entries(path.join(folder, 'prebuilds'));
  const isOwn = (one) => {
    const [system, processors = ''] = path.basename(one).split('-');
    return system === process.platform && processors.split('+').includes(process.arch);
  };
  return all.some(isOwn) ? all.filter((one) => !isOwn(one)) : [];
}

function entries(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder).map((name) => path.join(folder, name));
}

function everythingBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
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
