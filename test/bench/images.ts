/** Many small images in one job against a bare loop, and what small jobs feel of it that come meanwhile. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { startBare } from './bare.ts';
import { startClient, type Client } from './client.ts';
import { interleaved, median, round, timed, type Figure } from './measure.ts';

const IMAGES = 1_000;
const SIDE = 64;

export async function manyImages(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const files = await drawImages(path.join(folder, 'images'));
  const bare = startBare();
  const service = await startClient(folder, 'data', { COMPONENT_PROCESSES: '1' });
  await Promise.all([bare({ images: files.slice(0, 20) }), service.run(jobOf(files.slice(0, 20)))]);
  const times = await interleaved(3, {
    bare: () => bare({ images: files }),
    service: () => timed(() => service.run(jobOf(files), 50)),
  });
  bare.stop();
  const alone = await smallJobs(service, files, (done) => done < 40);
  const beside = await besideLargeJob(service, files);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
  const perImage = (ms: number) => `${round(ms / IMAGES, 2)} ms`;
  return [
    { what: `an image of ${SIDE} x ${SIDE}, faces: bare loop`, value: perImage(times.bare) },
    {
      what: `the service, ${round(IMAGES)} of them in one job, one component process`,
      value: `${perImage(times.service)}, ratio ${round(times.service / times.bare, 2)}`,
    },
    { what: 'a job of one image, alone', value: spread(alone) },
    {
      what: `a job of one image while a job of ${round(IMAGES)} runs`,
      value: `${spread(beside)}, ratio ${round(median(beside) / median(alone), 2)}`,
    },
  ];
}

/** Pictures that all differ, so that no two have one hash. */
async function drawImages(folder: string): Promise<readonly string[]> {
  mkdirSync(folder);
  return Promise.all(
    Array.from({ length: IMAGES }, async (_, number) => {
      const file = path.join(folder, `${number}.png`);
      const background = { r: number & 255, g: (number >> 2) & 255, b: (number * 7) & 255 };
      await sharp({ create: { width: SIDE, height: SIDE, channels: 3, background } }).toFile(file);
      return file;
    }),
  );
}

const jobOf = (files: readonly string[]) => ({
  pipelineName: 'FACE DETECTION PIPELINE',
  media: files.map((file) => ({ mediaUri: pathToFileURL(file).href })),
});

/** Times from POST to end of jobs one after the other, as long as `more` says so. */
async function smallJobs(
  service: Client,
  files: readonly string[],
  more: (done: number) => boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (more(times.length))
    times.push(await timed(() => service.run(jobOf([files[times.length % IMAGES]!]))));
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
