/**
 * Checks types, builds, runs the requested tests and ends with the line `N passed, N failed`. Tests belong to
 * rings: --unit (rules, actors, stores), --detectors (decoders and detectors in this process), --service (a
 * real server with real components), --long (slow tests, such as installations). Without an option, the first
 * three run. Arguments: parts of file paths; default: all files.
 *
 * --no-install installs no Debian packages (requirements.mjs). --random [SEED] shuffles files and their
 * tests. --redis uses a Redis. --spec prints every test instead of one line per file. --times prints the
 * duration of each file at the end, for longest-files.mjs. TEST_COSTS is a file to which one JSON line per
 * test file is added, with its processor time (costs.mjs). TEST_FOLDER is a folder of JavaScript tests to run
 * instead of those of the product.
 *
 * Files with a failed test run again, each alone in a new process. A test that passes then is flaky: it
 * counts as passed and is listed at the end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { LONGEST } from './longest-files.mjs';
import { mochaHooks, shuffled } from './order.mjs';
import { conclude, listFailures, reporterInto, titleOf } from './report.mjs';
import { installRequirements } from './requirements.mjs';

const OPTIONS = ['unit', 'detectors', 'service', 'long', 'redis', 'no-install', 'random', 'spec', 'times'];
/** With more failed files than this, none runs again, because the load of the machine cannot be the cause. */
const MOST_AGAIN = 8;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const { options, wanted, order } = readArguments();
const ring = ['unit', 'detectors', 'service'].find((name) => options[name]);
const folder = process.env.TEST_FOLDER ?? 'dist/test';
// A run of all tests installs required programs first.
const asksAll = wanted.length === 0 && (ring ?? 'service') === 'service' && folder === 'dist/test';
if (asksAll) installRequirements();
if (process.env.TEST_FOLDER === undefined) build();
// Detectors loaded directly by a test would otherwise send telemetry of the inference library.
process.env.ORT_DISABLE_TELEMETRY = '1';

// Slow tests, such as installations, are in separate files for `npm run test:long`.
const ending = options.long ? '.long.js' : '.test.js';
seedAll();
const files = find(folder, ending)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => ring === undefined || ring === ringOf(file));
if (files.length === 0) {
  console.error(
    `No test file${ring === undefined ? '' : ` of the ring ${ring}`} has ${wanted.join(' or ')} in its path.`,
  );
  process.exit(1);
}

if (!asksAll && files.some((file) => ringOf(file) === 'service')) installRequirements();
// Services use the Redis of this run instead of a file.
if (options.redis) process.env.TEST_REDIS_URL = await startRedis();

// Runs three files more than there are cores in parallel, at most five (TEST_JOBS), because tests mostly wait
// for servers.
const jobs = Math.min(files.length, Number(process.env.TEST_JOBS) || Math.min(5, availableParallelism() + 3));
if (jobs > 1) files.sort((a, b) => weightOf(b) - weightOf(a));
if (order !== undefined) files.splice(0, files.length, ...shuffled(files, 'files'));
// Starts with the full size of 16 MB for new objects, because growing it takes several garbage collections.
process.execArgv.push('--min-semi-space-size=16');
const results = await run(files, jobs);
const flaky = await runFailedAgain(results);
if (options.times) showTimes();
process.exit(conclude(results, flaky));

/** Results of the files, by path. */
async function run(some, atOnce) {
  const found = new Map();
  const spec = options.spec;
  const hooks = [
    ...(process.env.TEST_COSTS === undefined ? [] : ['test/costs.mjs']),
    ...(order === undefined ? [] : ['test/order.mjs']),
  ];
  const mocha = new Mocha({
    timeout: 180_000,
    reporter: reporterInto(found, { spec, nameOf }),
    forbidOnly: process.env.CI === 'true',
    parallel: atOnce > 1,
    jobs: atOnce,
    // Files in their own process load these modules themselves.
    ...(atOnce > 1 ? { require: hooks } : { rootHooks: order === undefined ? {} : mochaHooks }),
  });
  for (const file of some) mocha.addFile(path.resolve(file));
  if (atOnce === 1) await mocha.loadFilesAsync();
  await new Promise((resolve) => mocha.run(resolve));
  // The reporter cannot do this: files that fail to load fail after the end event of mocha.
  if (!spec) listFailures(found);
  return found;
}

/**
 * Replaces results of failed files by those of their second run. Returns the flaky tests, which failed only
 * in the first run.
 */
async function runFailedAgain(first) {
  const failed = [...first].filter(([file, { failures }]) => file !== '' && failures.length > 0);
  if (failed.length > MOST_AGAIN)
    console.log(
      `\nTests of ${failed.length} files failed; none is run again, as it would be for ${MOST_AGAIN}.`,
    );
  if (failed.length > MOST_AGAIN) return [];
  const flakyTests = [];
  for (const [file, { failures }] of failed) {
    console.log(`\nAgain, alone: ${nameOf(file)}`);
    // Two parallel jobs, although there is one file, because only then it gets its own process.
    const second = (await run([file], 2)).get(path.resolve(file));
    if (second === undefined) continue;
    first.set(file, second);
    const still = new Set(second.failures.map(titleOf));
    const titles = new Set(failures.map(titleOf).filter((title) => !still.has(title)));
    flakyTests.push(...[...titles].map((title) => `${nameOf(file)}: ${title}`));
  }
  return flakyTests;
}

/** Starts a Redis that ends with this process, and returns its address. */
async function startRedis() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', words, { stdio: 'ignore' });
  redis.on('error', (error) => {
    throw new Error('redis-server cannot be started: install it.', { cause: error });
  });
  process.on('exit', () => redis.kill('SIGKILL'));
  return `redis://127.0.0.1:${port}/0`;
}

function build() {
  for (const script of [
    ['node_modules/typescript/bin/tsc', '-p', '.'],
    ['node_modules/typescript/bin/tsc', '-p', 'page'],
    ['config/build/build.mjs', 'test'],
  ])
    execFileSync(process.execPath, script, { stdio: 'inherit' });
}

/** Parts of paths, and the seed if --random is followed by a number. */
function readArguments() {
  const { options, words } = parseOrEnd(process.argv.slice(2));
  // A number is the seed of --random.
  const place = options.random ? words.findIndex((word) => /^\d+$/.test(word)) : -1;
  const seed = place === -1 ? undefined : words.splice(place, 1)[0];
  // The tests are built files.
  const wanted = words.map((word) => word.replace(/\.ts$/, '.js'));
  if (!options.random) return { options, wanted };
  // Also read by the processes of test files.
  process.env.TEST_ORDER = seed ?? String(randomInt(2 ** 31));
  console.log(`Random order. To repeat it: --random ${process.env.TEST_ORDER}`);
  return { options, wanted, order: process.env.TEST_ORDER };
}

/** Without this check, a mistyped option would start all tests. */
function parseOrEnd(args) {
  const known = Object.fromEntries(OPTIONS.map((name) => [name, { type: 'boolean' }]));
  try {
    const { values, positionals } = parseArgs({ args, options: known, allowPositionals: true });
    return { options: values, words: positionals };
  } catch (error) {
    console.error(`${error.message}\nOptions: ${OPTIONS.map((name) => `--${name}`).join(', ')}.`);
    return process.exit(2);
  }
}

/**
 * Random tests use a fixed seed, so that failures come from code changes. `test:long` uses a new seed. All
 * files use the same seed, so that a repeated file gets the same random values.
 */
function seedAll() {
  if (process.env.SEED !== undefined) return;
  const drawsAnew = ['RUNS', 'MUTATIONS', 'SHARE_OF_RUNS'].some((name) => process.env[name] !== undefined);
  process.env.SEED = ending === '.test.js' && !drawsAnew ? '1' : String(randomInt(2 ** 31));
  if (process.env.SEED !== '1') console.log(`SEED=${process.env.SEED}`);
}

/** Without the time to load the files. */
function showTimes() {
  for (const [file, { ms }] of [...results].sort(([, a], [, b]) => b.ms - a.ms))
    console.log(`${(ms / 1_000).toFixed(1).padStart(6)} s  ${nameOf(file)}`);
}

function nameOf(file) {
  return file === '' ? 'no file' : path.relative(folder, file);
}

/**
 * The longest files start first, so that none runs alone at the end. Then files that start servers, then the
 * others by size.
 */
function weightOf(file) {
  const place = LONGEST.findIndex((name) => file.endsWith(`${name}.test.js`));
  if (place !== -1) return 1e9 - place;
  return readFileSync(file, 'utf8').length + (ringOf(file) === 'service' ? 1_000_000 : 0);
}

function ringOf(file) {
  const text = readFileSync(file, 'utf8');
  const starts =
    /\/support\/processes\/|\/(roles|suite|server-pair|remote-node-support)\.js|startServer|child_process/.test(
      text,
    );
  if (starts || /\bnew Place\(/.test(text)) return 'service';
  return /^dist\/test\/(components|media)\//.test(file) ? 'detectors' : 'unit';
}

function find(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name))
    .sort();
}
