/**
 * Compiles what changed: every TypeScript source of the product, and of the folders that are named (`test`), to the same
 * place below dist/. Types are taken away and leave blanks, so that an error names line and column of the source (in the page, where
 * elements become calls, the line); checking them is `npm run typecheck`. So this needs no TypeScript compiler, and an installation without development packages can
 * build itself. The declarations of troupe/sdk, for authors of components, are made where that compiler is installed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareSqlite } from './sqlite.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

const PRODUCT = [
  'actors',
  'cli',
  'client',
  'components',
  'config',
  'domain',
  'evaluate',
  'egress',
  'files',
  'http',
  'mcp',
  'media',
  'node',
  'page',
  'processes',
  'protocol',
  'results',
  'search',
  'server',
  'store',
];
const OUT = 'dist';
/** What the files in dist/ were made with; another compiler makes all of them again. */
const STAMP = path.join(OUT, '.built-with');
const DECLARATIONS = path.join(OUT, 'components', 'sdk', 'detector.d.ts');

const folders = [...PRODUCT, ...process.argv.slice(2)];
const began = performance.now();
const madeWith = fingerprint();
const known = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === madeWith;
const sources = ['main.ts', ...folders.flatMap(filesOf)].filter((file) => /(?<!\.d)\.tsx?$/.test(file));
const changed = known ? sources.filter(isNew) : sources;

if (!known) rmSync(path.join(OUT, 'test'), { recursive: true, force: true });
if (changed.length > 0) {
  process.stderr.write(`Building ${changed.length} of ${sources.length} files ...\n`);
  await compile(changed);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(STAMP, madeWith);
}
removeStale();
await import('./write-build-info.mjs');
if (!existsSync(DECLARATIONS) || changed.some((file) => existsSync(declarationsOf(file)))) declare();
if (changed.length > 0)
  process.stderr.write(`Built in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
prepareSqlite();

async function compile(files) {
  const [{ transformSync }, { transform }, { init, parse }] = await Promise.all([
    import('@swc/wasm-typescript'),
    files.some((file) => file.endsWith('.tsx')) ? import('sucrase') : {},
    import('es-module-lexer'),
  ]);
  await init();
  for (const file of files) {
    // The time of the source is taken before its content: a change in between is compiled the next time.
    const { atime, mtime } = statSync(file);
    const code = file.endsWith('.tsx') ? withElements(transform, file) : strip(transformSync, file);
    const target = outputOf(file);
    mkdirSync(path.dirname(target), { recursive: true });
    const part = `${target}.${process.pid}.part`;
    writeFileSync(part, importsOfOutputs(code, parse));
    utimesSync(part, atime, mtime);
    renameSync(part, target);
  }
}

/** Elements of the page become calls, each on the line where it stands. */
function withElements(transform, file) {
  return transform(readFileSync(file, 'utf8'), {
    transforms: ['typescript', 'jsx'],
    jsxRuntime: 'automatic',
    jsxImportSource: 'preact',
    production: true,
    disableESTransforms: true,
    filePath: file,
  }).code;
}

function strip(transformSync, file) {
  try {
    const source = readFileSync(file, 'utf8');
    return transformSync(source, { mode: 'strip-only', module: true, filename: file }).code;
  } catch (error) {
    throw new Error(`${file}:${error?.startLine ?? 0}: ${error?.message ?? error}`, { cause: error });
  }
}

/** Sources import sources, './x.ts' or './x.tsx'; what is made of them imports './x.js'. */
function importsOfOutputs(code, parse) {
  const [imports] = parse(code);
  let result = code;
  // The last first: the places of those before it stay.
  for (const { start, end, specifier } of imports.toReversed())
    if (specifier !== undefined && /^\.\.?\/.*\.tsx?$/.test(specifier))
      result =
        result.slice(0, start) +
        result.slice(start, end).replace(/\.tsx?(?=['"`]?$)/, '.js') +
        result.slice(end);
  return result;
}

function outputOf(file) {
  return path.join(OUT, file.replace(/\.tsx?$/, '.js'));
}

function declarationsOf(file) {
  return path.join(OUT, file.replace(/\.tsx?$/, '.d.ts'));
}

/** A file that was made has the time of its source, whichever way that goes: an older one may have been put back. */
function isNew(file) {
  const made = statSync(outputOf(file), { throwIfNoEntry: false });
  return made === undefined || Math.abs(made.mtimeMs - statSync(file).mtimeMs) > 2;
}

/** What is left of sources that are gone, or were renamed, must not be run. */
function removeStale() {
  const wanted = new Set(sources.map(outputOf));
  for (const folder of folders.map((name) => path.join(OUT, name)))
    for (const file of filesOf(folder)) if (/\.js(\.map)?$/.test(file) && !wanted.has(file)) rmSync(file);
}

function declare() {
  const compiler = path.join('node_modules', 'typescript', 'bin', 'tsc');
  if (existsSync(compiler))
    execFileSync(process.execPath, [compiler, '-p', 'components/sdk'], { stdio: 'inherit' });
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

function fingerprint() {
  const installed = ['@swc/wasm-typescript', 'sucrase', 'es-module-lexer'].map((name) =>
    readFileSync(path.join('node_modules', name, 'package.json')),
  );
  const hash = createHash('sha256');
  for (const text of [readFileSync(fileURLToPath(import.meta.url)), ...installed]) hash.update(text);
  return hash.digest('hex');
}
