/** `npm run demo`: runs the whole service on its sample media and checks the results against known answers. */
import type { JobInfo, JobRequest } from '../client/answers.ts';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { readCliSettings } from '../config/cli.ts';
import { readEmbeddedSettings } from '../config/embedded-settings.ts';
import { packageRoot } from '../config/info.ts';
import {
  checkDocument,
  checkFaces,
  checkLanguages,
  checkMotion,
  checkPersons,
  checkScenes,
  checkSpeech,
  checkText,
  type Check,
} from './demo/demo-checks.ts';
import { findingsOf, type DemoDocument, type Findings } from './demo/demo-findings.ts';
import { EXIT, exitCodeOf, explain } from './terminal/failure.ts';
import { follow } from '../client/follow.ts';
import { Interrupts } from './terminal/interrupts.ts';
import { showProgress, type Progress } from './render/progress.ts';
import type { RestClient } from '../client/rest-client.ts';
import { startService } from './service/service.ts';
import { summarize } from './render/summary.ts';
import { documentLines, jobLine } from './render/tables.ts';
import { Terminal } from './terminal/terminal.ts';

interface DemoJob {
  readonly label: string;
  readonly pipeline: string;
  readonly samples: readonly string[];
  readonly algorithmProperties?: JobRequest['algorithmProperties'];
  readonly check: (findings: Findings) => readonly Check[];
}

const JOBS: readonly DemoJob[] = [
  {
    label: 'faces',
    pipeline: 'FACE DETECTION WITH MARKUP PIPELINE',
    samples: ['face_move.mp4', 'astronaut.png', 'chelsea.png'],
    check: checkFaces,
  },
  {
    label: 'persons',
    pipeline: 'PERSON THEN FACE DETECTION PIPELINE',
    samples: ['race.jpg'],
    check: checkPersons,
  },
  { label: 'motion', pipeline: 'MOTION DETECTION PIPELINE', samples: ['face_move.mp4'], check: checkMotion },
  { label: 'text', pipeline: 'TEXT DETECTION PIPELINE', samples: ['gen_text.png'], check: checkText },
  {
    label: 'document',
    pipeline: 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE',
    samples: ['text-embedded-and-images.pdf'],
    check: checkDocument,
  },
  {
    label: 'languages',
    pipeline: 'DOCUMENT TEXT THEN LANGUAGE AND KEYWORDS PIPELINE',
    samples: ['slides.odp'],
    // the language of a few letters cannot be detected reliably
    algorithmProperties: { LANGUAGE: { MIN_LENGTH: '20' } },
    check: checkLanguages,
  },
  {
    label: 'speech',
    pipeline: 'SPEECH DETECTION PIPELINE',
    samples: ['vad_groundtruth.wav'],
    check: checkSpeech,
  },
  {
    label: 'scenes',
    pipeline: 'SCENE CHANGE DETECTION PIPELINE',
    samples: ['scenes_pd.mp4'],
    check: checkScenes,
  },
];
const SAMPLES = path.join(packageRoot, 'samples');
const STEP = 25;

/** Runs the demo. Returns the exit code: 0 if all known findings were found. */
async function demo(terminal: Terminal): Promise<number> {
  const started = performance.now();
  const interrupts = new Interrupts();
  const settings = readEmbeddedSettings([SAMPLES], {
    DATA_DIR: path.join(readCliSettings().dataDir, 'demo'),
  });
  const service = await startService(settings);
  try {
    terminal.print(`Troupe runs at ${service.client.url}, on ${JOBS.length} jobs at a time\n`);
    const ended = await runAll(service.client, terminal, interrupts.signal);
    if (interrupts.signal.aborted) {
      terminal.note('Stopped. The jobs are cancelled.');
      return EXIT.failed;
    }
    const checks: Check[] = [];
    for (const { job, info } of ended) checks.push(...(await show(service.client, job, info, terminal)));
    const exitCode = conclude(checks, performance.now() - started, terminal);
    if (exitCode === EXIT.done) terminal.print(whatNext(settings.DATA_DIR));
    return exitCode;
  } finally {
    await service.stop();
    interrupts.close();
  }
}

interface Ended {
  readonly job: DemoJob;
  readonly info: JobInfo;
}

/** Runs the jobs at the same time and shows their progress. */
async function runAll(
  client: RestClient,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Ended[]> {
  const progress = await showProgress(terminal, JOBS.map(({ label }) => label), { step: STEP }); // oxfmt-ignore
  try {
    return await Promise.all(JOBS.map((job) => runOne(client, job, progress, signal)));
  } finally {
    progress.stop();
  }
}

async function runOne(
  client: RestClient,
  job: DemoJob,
  progress: Progress,
  signal: AbortSignal,
): Promise<Ended> {
  const media = job.samples.map((name) => ({ mediaUri: pathToFileURL(path.join(SAMPLES, name)).href }));
  const { pipeline: pipelineName, algorithmProperties = {} } = job;
  const { jobId } = await client.createJob({ media, pipelineName, algorithmProperties }, signal);
  const info = await follow(client, jobId, { onEvent: (seen) => progress.update(job.label, seen), signal });
  return { job, info };
}

/** Prints the results of a job and checks them. */
async function show(
  client: RestClient,
  { check }: DemoJob,
  info: JobInfo,
  terminal: Terminal,
): Promise<readonly Check[]> {
  terminal.print(`\n${jobLine(info)}`);
  const stream = await client.document(info.jobId);
  if (stream === undefined) return check(new Map());
  // the documents of the samples are small
  const text = await buffer(stream);
  for (const line of documentLines(await summarize(Readable.from([text])))) terminal.print(line);
  terminal.print(`\nDocument: ${info.outputObjectPath ?? client.documentUrl(info.jobId)}`);
  return check(await findingsOf(JSON.parse(text.toString('utf8')) as DemoDocument));
}

function conclude(checks: readonly Check[], ms: number, terminal: Terminal): number {
  terminal.print('\nKnown answers');
  for (const { found, what } of checks) terminal.print(`  ${found ? 'found    ' : 'NOT FOUND'}  ${what}`);
  const missing = checks.filter(({ found }) => !found).length;
  terminal.print(
    `\n${checks.length - missing} of ${checks.length} known answers, ${(ms / 1_000).toFixed(1)} s`,
  );
  return missing === 0 ? EXIT.done : EXIT.failed;
}

/** Suggestions for the next steps after the demo. */
const whatNext = (dataDir: string) => `
What next?
  DATA_DIR=${path.relative('', dataDir)} npm start
      shows these jobs in a browser: open the link that it prints
  npx troupe analyze FILE...
      the same with pictures, videos, sounds and documents of your own`;

const terminal = new Terminal();
try {
  process.exitCode = await demo(terminal);
} catch (error) {
  terminal.note(explain(error));
  process.exitCode = exitCodeOf(error);
}
