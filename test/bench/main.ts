/**
 * `npm run bench [part...]`: measurements for docs/records/performance.md, as ratios to simple baselines in
 * the same run.
 */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { print, type Figure } from './measure.ts';
import { runParts } from './run-parts.ts';

/** Loaded on demand, so that parts do not load the modules of other parts. */
const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  service: async () => (await import('./jobs/service.ts')).serviceOverhead(),
  'sub-jobs': async () => (await import('./jobs/sub-jobs.ts')).subJobs(),
  jobs: async () => (await import('./jobs/core.ts')).emptyJobs(),
  cluster: async () => (await import('./cluster/cluster.ts')).cluster(),
  'job-cost': async () => (await import('./jobs/job-cost.ts')).jobCost(),
  'take-over': async () => (await import('./cluster/take-over.ts')).takeOver(),
  mailbox: async () => (await import('./jobs/core.ts')).mailboxes(),
  rest: async () => (await import('./jobs/rest.ts')).restInterface(),
  start: async () => (await import('./jobs/start-up.ts')).startUp(),
  idle: async () => (await import('./jobs/core.ts')).idleJobs(),
  delivery: async () => (await import('./jobs/delivery.ts')).deliveries(),
  repair: async () => [
    ...(await (await import('./repair/repair.ts')).measureRepair()),
    ...(await (await import('./repair/fair-claims.ts')).fairClaims()),
    ...(await (await import('./repair/bulk-operation.ts')).bulkOperations()),
    ...(await (await import('./repair/trace-costs.ts')).measureTracing()),
  ],
  watching: async () => (await import('./jobs/job-watchers.ts')).measureWatching(),
  document: async () => (await import('./results/document.ts')).largeDocument(),
  export: async () => (await import('./results/export.ts')).exports(),
  search: async () => (await import('./results/search.ts')).measureSearch(),
  find: async () => [
    ...(await (await import('./results/find.ts')).measureFinding()),
    ...(await (await import('./results/people.ts')).comparePeople()),
  ],
  people: async () => (await import('./results/people.ts')).measurePeople(),
  images: async () => (await import('./media/images.ts')).manyImages(),
  models: async () => (await import('./media/models.ts')).ownModels(),
  page: async () => (await import('./results/page.ts')).webPage(),
  pairs: async () => (await import('./media/pairs.ts')).pairs(),
  decode: async () => (await import('./media/decode.ts')).measureDecoding(),
  stream: async () => (await import('./streams/stream.ts')).streams(),
  capacity: async () => (await import('./streams/capacity.ts')).liveStreams(),
  'live-tasks': async () => (await import('./streams/live-tasks.ts')).liveTasks(),
  'live-delay': async () => (await import('./media/live.ts')).liveDelay(),
  'event-delay': async () => (await import('./media/live.ts')).eventDelay(),
  'view-delay': async () => (await import('./media/view/live-view.ts')).viewDelay(),
  accuracy: async () => (await import('./media/accuracy.ts')).accuracy(),
};

/** Parts that are measured together. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  live: ['capacity', 'live-tasks', 'event-delay', 'view-delay'],
};

const given = process.argv.slice(2);
if (given[0] === '--only') {
  print(await PARTS[given[1]!]!());
  process.exit(0);
}
const wanted = given.flatMap((name) => GROUPS[name] ?? [name]);
const unknown = wanted.find((part) => PARTS[part] === undefined);
if (unknown !== undefined) {
  console.error(
    `There is no part "${unknown}". Choose from: ${[...Object.keys(PARTS), ...Object.keys(GROUPS)].join(', ')}.`,
  );
  process.exit(2);
}
const [cpu] = cpus();
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} x ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);
const failed = runParts(wanted.length > 0 ? wanted : Object.keys(PARTS), runAlone, (line) =>
  console.log(line),
);
process.exit(failed.length > 0 ? 1 : 0);

/** Runs the part in its own process with its own heap. Returns whether it succeeded. */
function runAlone(part: string): boolean {
  const words = ['--expose-gc', fileURLToPath(import.meta.url), '--only', part];
  return spawnSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
