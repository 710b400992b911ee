/**
 * Many small images in one job, compared with a plain loop, and the delay of small jobs that are submitted
 * meanwhile.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { startBare } from '../bare/bare.ts';
import { startClient, type Client } from '../jobs/client.ts';
import { runInterleaved, median, round, measureTime, type Figure } from '../measure.ts';

const IMAGES = 1_000;

/** A measurement: pictures of one size with a detector. */
interface Pair {
  readonly width: number;
  readonly height: number;
  readonly component: 'faces' | 'objects';
  readonly pipelineName: string;
  /** Fast detectors show the cost of the service, but finish in seconds, so they run more often. */
  readonly rounds: number;
}

const FACES = { component: 'faces', pipelineName: 'FACE DETECTION PIPELINE' } as const;
const OBJECTS = { component: 'objects', pipelineName: 'OBJECT DETECTION PIPELINE' } as const;
const SMALL = { width: 64, height: 64, ...FACES, rounds: 5 };
const PAIRS: readonly Pair[] = [
  SMALL,
  { ...SMALL, ...OBJECTS, rounds: 1 },
  { width: 640, height: 480, ...FACES, rounds: 1 },
  { width: 640, height: 480, ...OBJECTS, rounds: 1 },
];

export async function manyImages(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const service = await startClient(folder, 'data', { COMPONENT_PROCESSES: '1' });
  const figures: Figure[] = [];
  for (const pair of PAIRS)
    figures.push(...(await pairFigures(service, pair, await drawImages(folder, pair))));
  const files = await drawImages(folder, SMALL);
  const alone = await smallJobs(service, files, (done) => done < 40);
  const beside = await besideLargeJob(service, files);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    ...figures,
    { what: 'a job of one image, alone', value: spread(alone) },
    {
      what: `a job of one image while a job of ${round(IMAGES)} runs`,
      value: `${spread(beside)}, ratio ${round(median(beside) / median(alone), 2)}`,
    },
  ];
}

async function pairFigures(
  service: Client,
  { width, height, component, pipelineName, rounds }: Pair,
  files: readonly string[],
): Promise<readonly Figure[]> {
  const bare = startBare(component);
  const few = files.slice(0, 20);
  await Promise.all([bare({ images: few }), service.run(jobOf(few, pipelineName))]);
  const times = await runInterleaved(rounds, {
    bare: () => bare({ images: files }),
    service: () => measureTime(() => service.run(jobOf(files, pipelineName), 50)),
  });
  bare.stop();
  const perImage = (ms: number) => `${round(ms / IMAGES, 2)} ms`;
  return [
    { what: `an image of ${width} x ${height}, ${component}: bare loop`, value: perImage(times.bare) },
    {
      what: `the service, ${round(IMAGES)} of them in one job, one component process`,
      value: `${perImage(times.service)}, ratio ${round(times.service / times.bare, 2)}`,
      aim: '<= 1.25',
    },
  ];
}

/** Different pictures, so that no two have the same hash. */
async function drawImages(parent: string, { width, height }: Pair): Promise<readonly string[]> {
  const folder = path.join(parent, `${width} x ${height}`);
  mkdirSync(folder, { recursive: true });
  return Promise.all(
    Array.from({ length: IMAGES }, async (_, number) => {
      const file = path.join(folder, `${number}.png`);
      const background = { r: number & 255, g: (number >> 2) & 255, b: (number * 7) & 255 };
      await sharp({ create: { width, height, channels: 3, background } }).toFile(file);
      return file;
    }),
  );
}

const jobOf = (files: readonly string[], pipelineName: string = FACES.pipelineName) => ({
  pipelineName,
  media: files.map((file) => ({ mediaUri: pathToFileURL(file).href })),
});

/** Times from POST to the end of consecutive jobs, while `more` returns true. */
async function smallJobs(
  service: Client,
  files: readonly string[],
  more: (done: number) => boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (more(times.length))
    times.push(await measureTime(() => service.run(jobOf([files[times.length % IMAGES]!]))));
  return times;
}

async function besideLargeJob(service: Client, files: readonly string[]): Promise<readonly number[]> {
  let running = true;
  const large = service.run(jobOf(files), 50).finally(() => (running = false));
  const times = await smallJobs(service, files, () => running);
  await large;
  return times;
}

const spread = (times: readonly number[]) =>
  `median ${round(median(times))} ms, longest ${round(Math.max(...times))} ms, of ${times.length}`;
