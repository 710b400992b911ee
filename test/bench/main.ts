/** `npm run bench [part...]`: figures for docs/records/performance.md, as ratios against bare baselines of the same run. */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { accuracy } from './media/accuracy.ts';
import { cluster } from './cluster/cluster.ts';
import { emptyJobs, idleJobs, mailboxes } from './jobs/core.ts';
import { measureDecoding } from './media/decode.ts';
import { measureFinding } from './results/find.ts';
import { fairClaims } from './repair/fair-claims.ts';
import { deliveries } from './jobs/delivery.ts';
import { largeDocument } from './results/document.ts';
import { exports } from './results/export.ts';
import { manyImages } from './media/images.ts';
import { print, type Figure } from './measure.ts';
import { ownModels } from './media/models.ts';
import { webPage } from './results/page.ts';
import { pairs } from './media/pairs.ts';
import { comparePeople, measurePeople } from './results/people.ts';
import { bulkOperations } from './repair/bulk-operation.ts';
import { measureRepair } from './repair/repair.ts';
import { measureTracing } from './repair/trace-costs.ts';
import { restInterface } from './jobs/rest.ts';
import { runParts } from './run-parts.ts';
import { measureSearch } from './results/search.ts';
import { jobCost } from './jobs/job-cost.ts';
import { serviceOverhead } from './jobs/service.ts';
import { startUp } from './jobs/start-up.ts';
import { eventDelay, liveDelay } from './media/live.ts';
import { liveStreams } from './streams/capacity.ts';
import { liveTasks } from './streams/live-tasks.ts';
import { streams } from './streams/stream.ts';
import { viewDelay } from './media/view/live-view.ts';
import { subJobs } from './jobs/sub-jobs.ts';
import { takeOver } from './cluster/take-over.ts';
import { measureWatching } from './jobs/job-watchers.ts';

const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  service: serviceOverhead,
  'sub-jobs': subJobs,
  jobs: emptyJobs,
  cluster,
  'job-cost': jobCost,
  'take-over': takeOver,
  mailbox: mailboxes,
  rest: restInterface,
  start: startUp,
  idle: idleJobs,
  delivery: deliveries,
  repair: async () => [
    ...(await measureRepair()),
    ...(await fairClaims()),
    ...(await bulkOperations()),
    ...(await measureTracing()),
  ],
  watching: measureWatching,
  document: largeDocument,
  export: exports,
  search: measureSearch,
  find: async () => [...(await measureFinding()), ...(await comparePeople())],
  people: measurePeople,
  images: manyImages,
  models: ownModels,
  page: webPage,
  pairs,
  decode: measureDecoding,
  stream: streams,
  live: liveStreams,
  'live-tasks': liveTasks,
  'live-delay': liveDelay,
  'event-delay': eventDelay,
  'view-delay': viewDelay,
  accuracy,
};

const wanted = process.argv.slice(2);
if (wanted[0] === '--only') {
  print(await PARTS[wanted[1]!]!());
  process.exit(0);
}
const unknown = wanted.find((part) => PARTS[part] === undefined);
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}". Choose from: ${Object.keys(PARTS).join(', ')}.`);
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

/** In a process of its own, so that no part feels the heap of another. Answers whether it succeeded. */
function runAlone(part: string): boolean {
  const words = ['--expose-gc', fileURLToPath(import.meta.url), '--only', part];
  return spawnSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
