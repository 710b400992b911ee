/** `npm run bench [part...]`: figures for docs/performance.md, as ratios against bare baselines of the same run. */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { accuracy } from './accuracy.ts';
import { cluster } from './cluster.ts';
import { emptyJobs, idleJobs, mailboxes } from './core.ts';
import { decoding } from './decode.ts';
import { deliveries } from './delivery.ts';
import { largeDocument } from './document.ts';
import { exports } from './export.ts';
import { manyImages } from './images.ts';
import { print, type Figure } from './measure.ts';
import { ownModels } from './models.ts';
import { webPage } from './page.ts';
import { pairs } from './pairs.ts';
import { restInterface } from './rest.ts';
import { runParts } from './run-parts.ts';
import { searching } from './search.ts';
import { serviceOverhead } from './service.ts';
import { startUp } from './start-up.ts';
import { liveDelay, liveStreams } from './live.ts';
import { streams } from './stream.ts';
import { subJobs } from './sub-jobs.ts';
import { takeOver } from './take-over.ts';
import { watching } from './watching.ts';

const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  service: serviceOverhead,
  'sub-jobs': subJobs,
  jobs: emptyJobs,
  cluster,
  'take-over': takeOver,
  mailbox: mailboxes,
  rest: restInterface,
  start: startUp,
  idle: idleJobs,
  delivery: deliveries,
  watching,
  document: largeDocument,
  export: exports,
  search: searching,
  images: manyImages,
  models: ownModels,
  page: webPage,
  pairs,
  decode: decoding,
  stream: streams,
  live: liveStreams,
  'live-delay': liveDelay,
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
