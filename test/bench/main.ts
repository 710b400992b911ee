/** `npm run bench [part...]`: figures for docs/performance.md, as ratios against bare baselines of the same run. */
import { execFileSync } from 'node:child_process';
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
if (wanted[0] === '--only') print(await PARTS[wanted[1]!]!());
else {
  const [cpu] = cpus();
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} x ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
  );
  // A process a part, so that none feels the heap of another.
  for (const part of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
    if (PARTS[part] === undefined)
      throw new Error(`There is no bench "${part}"; there are ${Object.keys(PARTS).join(', ')}.`);
    console.log(`\n### ${part}\n`);
    const self = fileURLToPath(import.meta.url);
    execFileSync(process.execPath, ['--expose-gc', self, '--only', part], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
}
process.exit(0);
