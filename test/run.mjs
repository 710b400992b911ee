/**
 * Checks the types, builds, runs the tests that were asked for and ends with a plain `N passed, N failed` line. Tests stand in rings:
 * --unit (rules, actors, stores), --detectors (decoders and detectors within this process), --service (a real server with real components),
 * --long (installations); none of these: the first three. Arguments: parts of the paths of files, or all of them. --times tells at the
 * end how long each file took, for LONGEST; TEST_COSTS names a file that gets a line of JSON for each, with processor time (costs.mjs).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { installRequirements } from './requirements.mjs';

/** Files by the time that they took when they were measured last. */
const LONGEST = [
  'failures/kill',
  'page/frame-truth',
  'streaming/cameras',
  'rest/damaged-rows',
  'cli/commands',
  'failures/components',
  'cli/running-service',
  'rest/callbacks',
  'hostile/media',
  'rest/conformance/conformance',
  'cli/analyze',
  'rest/data-folder',
  'rest/fuzz',
  'hostile/rules',
  'components/document-images',
  'page/page',
  'workflow/artifacts',
  'contributing/contributing',
  'workflow/archive-copy',
  'components/live-detectors',
  'workflow/kill',
  'workflow/derivative-media',
  'worker-protocol/worker-protocol',
  'rest/nodes',
  'media/video-frames',
  'search/sqlite',
  'media/live-faults',
  'cli/large',
  'rest/archive',
  'rest/media',
  'rest/search',
  'rest/stream-metrics',
  'workflow/small-media',
  'actors/batch-job/life',
  'components/live-memory',
  'rest/absolute-paths',
  'components/text',
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

for (const script of [
  ['node_modules/typescript/bin/tsc', '-p', '.'],
  ['node_modules/typescript/bin/tsc', '-p', 'page'],
  ['config/build.mjs', 'test'],
])
  execFileSync(process.execPath, script, { stdio: 'inherit' });
// Detectors that a test loads itself would else report their use to the maker of the inference library.
process.env.ORT_DISABLE_TELEMETRY = '1';

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
// What takes minutes (an installation, say) stands in files of its own: `npm run test:long`.
const ending = process.argv.includes('--long') ? '.long.js' : '.test.js';
// Random tests draw the same each time, so that what fails is what was changed; those of test:long draw anew.
const drawsAnew = ['RUNS', 'MUTATIONS', 'SHARE_OF_RUNS'].some((name) => process.env[name] !== undefined);
if (ending === '.test.js' && !drawsAnew) process.env.SEED ??= '1';
const ring = ['unit', 'detectors', 'service'].find((name) => process.argv.includes(`--${name}`));
const files = find('dist/test', ending)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => ring === undefined || ring === ringOf(file));
if (files.length === 0) {
  console.error(
    `No test file${ring === undefined ? '' : ` of the ring ${ring}`} has ${wanted.join(' or ')} in its path.`,
  );
  process.exit(1);
}

if (files.some((file) => ringOf(file) === 'service')) installRequirements();

// Each file in a process of its own, one more at a time than there are cores (TEST_JOBS): most tests wait for a server and its components.
const jobs = Math.min(files.length, Number(process.env.TEST_JOBS) || Math.min(3, availableParallelism() + 1));
const mocha = new Mocha({
  timeout: 180_000,
  reporter: 'spec',
  forbidOnly: process.env.CI === 'true',
  parallel: jobs > 1,
  jobs,
  ...(process.env.TEST_COSTS === undefined ? {} : { require: ['test/costs.mjs'] }),
});
if (jobs > 1) files.sort((a, b) => weightOf(b) - weightOf(a));
for (const file of files) mocha.addFile(path.resolve(file));
if (jobs === 1) await mocha.loadFilesAsync();
const runner = mocha.run((failures) => {
  if (process.argv.includes('--times')) showTimes();
  const { passes = 0, pending = 0 } = runner.stats ?? {};
  console.log(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
  process.exit(failures > 0 || passes === 0 ? 1 : 0);
});

const times = new Map();
for (const event of ['test end', 'hook end'])
  runner.on(event, ({ file = '', duration = 0 }) => {
    const name = path.relative('dist/test', file);
    times.set(name, (times.get(name) ?? 0) + duration);
  });

/** Without the time to load the files. */
function showTimes() {
  for (const [name, ms] of [...times].sort(([, a], [, b]) => b - a))
    console.log(`${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`);
}

/** Files that take longest go first, so that none of them is left for the end; then all others that start servers, then by size. */
function weightOf(file) {
  const place = LONGEST.findIndex((name) => file.endsWith(`${name}.test.js`));
  if (place !== -1) return 1e9 - place;
  return readFileSync(file, 'utf8').length + (ringOf(file) === 'service' ? 1_000_000 : 0);
}

function ringOf(file) {
  const text = readFileSync(file, 'utf8');
  const starts = /\/support\/(service|processes)\.js|\/(roles|suite)\.js|startServer|child_process/.test(
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
