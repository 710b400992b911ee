/** A video of 100 MB downloaded from the server, compared with the same video read from disk. */
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { detect } from '../../../components/host/detect.ts';
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { MediaCache } from '../../../components/sdk/media/media-cache.ts';
import type { WorkContext } from '../../../components/sdk/work/work-context.ts';
import type { DetectWork } from '../../../protocol/detection-work.ts';
import loadDetector from '../../../components/detectors/faces/detector.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import type { Client } from '../jobs/client.ts';
import { median, round, measureTime, type Figure } from '../measure.ts';

const FRAMES = 400;
const PIECE = 200;
const BYTES = 100_000_000;
const ROUNDS = 3;
interface Described {
  readonly algorithm: {
    readonly providesCollection: {
      readonly properties: readonly { readonly name: string; readonly defaultValue: string }[];
    };
  };
}
/** Like the descriptor of the detector. */
const described = JSON.parse(readFileSync('components/detectors/faces/descriptor.json', 'utf8')) as Described;
const PROPERTIES = Object.fromEntries(
  described.algorithm.providesCollection.properties.map(({ name, defaultValue }) => [name, defaultValue]),
);

/** Segments processed by the host with the face detector. */
export async function fetchedMedia(server: Client, folder: string): Promise<readonly Figure[]> {
  const clip = path.join(folder, 'large.mp4');
  makeVideo(clip, { frames: FRAMES, width: 1280, height: 720, gop: 50, bFrames: 2 });
  grow(clip);
  const client = new WorkerClient(server.url, server.token);
  const stop = new AbortController();
  const { work: claim, token } = await claimWork(server, client, clip, stop.signal);
  const work: DetectWork = { ...claim, properties: { ...claim.properties, ...PROPERTIES } };
  const detector = await loadDetector();
  const beats = setInterval(() => void beat(server, client, token), 1_000);
  const lookAt = (given: DetectWork, start: number, context: Partial<WorkContext>) =>
    measureTime(async () => {
      const range = { start, stop: start + PIECE - 1 };
      const signal = new AbortController().signal;
      const full: WorkContext = {
        signal,
        progress: () => undefined,
        input: () => Promise.reject(new Error()),
        ...context,
      };
      for await (const _ of detect(detector, { ...given, range }, full));
    });
  const elsewhere = { ...work, medium: { ...work.medium, path: '/not/on/this/host' } };
  const times = { path: [] as number[], first: [] as number[], later: [] as number[] };
  await lookAt(work, 0, {});
  for (let n = 0; n < ROUNDS; n++) {
    const cache = new MediaCache({
      folder: path.join(folder, `cache-${n}`),
      maxBytes: 2 * BYTES,
      client,
      log: console.error,
    });
    const fetching = { signal: stop.signal, working: () => undefined };
    const fetched: Partial<WorkContext> = { medium: (medium) => cache.local(medium, fetching) };
    times.path.push(await lookAt(work, 0, {}));
    times.first.push(await lookAt(elsewhere, 0, fetched));
    times.later.push(await lookAt(elsewhere, 0, fetched));
  }
  clearInterval(beats);
  await client.release(token);
  client.close();
  const [byPath, first, later] = [median(times.path), median(times.first), median(times.later)];
  return [
    {
      what: `faces in ${PIECE} frames of 720p of a video of 100 MB, by its path`,
      value: `${round(byPath)} ms`,
    },
    {
      what: 'the first segment with the medium fetched',
      value: `${round(first)} ms, ratio ${round(first / byPath, 3)}`,
      aim: '1.1',
    },
    { what: 'those after it', value: `${round(later)} ms, ratio ${round(later / byPath, 3)}`, aim: '1.0' },
  ];
}

/** Adds a box that players ignore, so that the download is large but decoding is not. */
function grow(clip: string): void {
  const missing = BYTES - statSync(clip).size;
  const box = Buffer.alloc(missing, 7);
  box.writeUInt32BE(missing, 0);
  box.write('free', 4, 'latin1');
  appendFileSync(clip, box);
}

async function claimWork(server: Client, client: WorkerClient, clip: string, signal: AbortSignal) {
  await server.post('/rest/jobs', {
    pipelineName: 'NOOP PIPELINE',
    jobProperties: { TARGET_SEGMENT_LENGTH: '0' },
    media: [{ mediaUri: pathToFileURL(clip).href }],
  });
  for (;;) {
    const [work] = await client.claim({ algorithms: ['NOOP'], max: 1, waitMs: 20_000 }, signal);
    if (work?.kind === 'DETECT') return work;
  }
}

async function beat(
  { token: bearer }: Client,
  { leases, headers }: WorkerClient,
  token: string,
): Promise<void> {
  await fetch(`${leases}/${token}/heartbeat`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ done: Math.round(performance.now()), total: 0 }),
  });
}
