/** The cost of retrying jobs, compared with the same work in new jobs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../../media/support/make-video.ts';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { measureTime, round, runInterleaved, type Figure } from '../measure.ts';
import { startClient, type Client, type JobBody } from '../jobs/client.ts';

const MEDIA = 1_000;
const FAILURES = 3;
const ROUNDS = 3;
/** Frames of a failing medium, like the clips of a camera. */
const FRAMES = 100;
/** Width and height of a picture, which do not matter for this measurement. */
const SIDE = 64;
/** Polling interval. A response about 1,000 media is itself work for the server. */
const POLL_MS = 50;
/**
 * Work after the end of a job, such as indexing, ends within this time, so it does not affect the next
 * measurement.
 */
const AFTER_END_MS = 1_500;

export async function measureRepair(): Promise<readonly Figure[]> {
  return retryFigures();
}

/** For a job with many small pictures and a few clips that are damaged at first. */
async function retryFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const server = await startClient(folder, 'data');
  const files = new RepairMedia(folder);
  await files.make();
  await server.run(jobOf(files.clips));
  const { retry, fresh } = await runInterleaved(ROUNDS, {
    retry: async () => retryMs(server, files),
    fresh: async () => {
      await delay(AFTER_END_MS);
      return measureTime(() => server.run(jobOf(files.clips), POLL_MS));
    },
  });
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    { what: `a new job with ${FAILURES} media`, value: `${round(fresh)} ms` },
    {
      what: `retry of ${FAILURES} of ${round(MEDIA)} media`,
      value: `${round(retry)} ms, ratio ${round(retry / fresh, 2)}`,
      aim: '<= 1.20',
    },
  ];
}

async function retryMs(server: Client, files: RepairMedia): Promise<number> {
  await files.damage();
  const job = jobOf([...files.pictures, ...files.clips]);
  const { jobId } = (await server.post('/rest/jobs', job)) as { jobId: string };
  await server.waitFor(jobId, 'ERROR', POLL_MS);
  await files.repair();
  await delay(AFTER_END_MS);
  return measureTime(async () => {
    await server.post(`/rest/jobs/${jobId}/retry`, { what: 'FAILED_SUB_JOBS' });
    await server.waitFor(jobId, 'COMPLETE', POLL_MS);
  });
}

const jobOf = (files: readonly string[]): JobBody => ({
  pipelineName: 'FACE DETECTION PIPELINE',
  media: files.map((file) => ({ mediaUri: pathToFileURL(file).href })),
});

class RepairMedia {
  readonly pictures: readonly string[];
  readonly clips: readonly string[];
  readonly #whole: string;

  constructor(folder: string) {
    const named = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => path.join(folder, `${n}${name}`));
    this.pictures = named(MEDIA - FAILURES, '.bmp');
    this.clips = named(FAILURES, '.mp4');
    this.#whole = path.join(folder, 'whole.mp4');
  }

  async make(): Promise<void> {
    makeVideo(this.#whole, { frames: FRAMES, width: 640, height: 360, gop: 50, bFrames: 2 });
    const picture = bitmapOf(new Uint8Array(3 * SIDE * SIDE), SIDE, SIDE);
    for (const file of this.pictures) await writeFile(file, picture);
    await this.repair();
  }

  async repair(): Promise<void> {
    for (const file of this.clips) await copyFile(this.#whole, file);
  }

  async damage(): Promise<void> {
    for (const file of this.clips) await writeFile(file, 'damaged');
  }
}
