/**
 * The cost of a sub-job over the worker protocol, and of a medium that is downloaded instead of read from
 * disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { runWorker } from '../../../components/sdk/work/worker.ts';
import type { ClaimAnswer } from '../../../protocol/worker-messages.ts';
import { startChild } from './child.ts';
import { startClient, type Client } from './client.ts';
import { round, measureTime, type Figure } from '../measure.ts';
import { fetchedMedia } from '../media/fetched-media.ts';
import { NOOP } from '../parts.ts';

const SUB_JOBS = 1_000;
const FRAMES = 10;
/** A track in the first frame of a range. */
const trackAt = (frame: number) => {
  const detection = { frame, x: 10, y: 20, width: 64, height: 48, confidence: 0.9, properties: {} };
  return `${JSON.stringify({ startFrame: frame, stopFrame: frame, confidence: 0.9, properties: {}, detections: [detection] })}\n`;
};

/** The sub-jobs of a video that is never decoded. */
const JOB = {
  pipelineName: 'NOOP PIPELINE',
  jobProperties: {
    ...{ TARGET_SEGMENT_LENGTH: String(FRAMES), MIN_SEGMENT_LENGTH: '1', ARTIFACT_EXTRACTION_POLICY: 'NONE' },
    ...{ MERGE_TRACKS: 'FALSE' },
  },
  media: [
    {
      mediaUri: 'data:video/mp4;base64,eA==',
      metadata: {
        ...{ MEDIA_HASH: 'a'.repeat(64), MIME_TYPE: 'video/mp4', FRAME_WIDTH: '1280', FRAME_HEIGHT: '720' },
        ...{ FRAME_COUNT: String(SUB_JOBS * FRAMES), FPS: '25', DURATION: String(SUB_JOBS * FRAMES * 40) },
        HAS_CONSTANT_FRAME_RATE: 'true',
      },
    },
  ],
};

export async function subJobs(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const server = await startClient(folder, 'data');
  const echo = await startChild('bare/bare-echo.js');
  await server.post('/rest/components/registerUnmanaged', NOOP);
  const figures: Figure[] = [];
  try {
    for (const workers of [1, 4, 16]) figures.push(...(await oneByOne(server, echo.url, workers)));
    for (const workers of [1, 4]) figures.push(await inTurn(server, workers));
    figures.push(...(await fetchedMedia(server, folder)));
  } finally {
    await Promise.all([server.stop(), echo.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
}

/** A message for each claim and each answer, like a component without the SDK. */
async function oneByOne(server: Client, echo: string, workers: number): Promise<readonly Figure[]> {
  const { jobId } = (await server.post('/rest/jobs', JOB)) as { jobId: string };
  const sizes = { claim: 0, count: 0 };
  const times: number[] = [];
  const worker = async (n: number) => {
    const pool = new Pool(server.url, { connections: 1 });
    const say = sayFigure(pool, { authorization: `Bearer ${server.token}`, 'troupe-instance': `w${n}` });
    let misses = 0;
    while (misses < 20) {
      const began = performance.now();
      const text = await say(
        '/worker/v1/claim',
        JSON.stringify({ algorithms: ['NOOP'], max: 1, waitMs: 100 }),
      );
      const [work] = (JSON.parse(text) as ClaimAnswer).work;
      if (work === undefined) misses = times.length < SUB_JOBS ? 0 : misses + 20;
      if (work?.kind !== 'DETECT') continue;
      sizes.claim = text.length;
      await say(`/worker/v1/leases/${work.token}/result`, trackAt(work.work.range.start));
      times.push(performance.now() - began);
    }
    await pool.close();
  };
  const ms = await measureTime(() => Promise.all(Array.from({ length: workers }, (_, n) => worker(n))));
  await over(server, jobId);
  const bare = await echoMessages(echo, workers, sizes.claim);
  const name = `${workers} worker${workers > 1 ? 's' : ''}, a message each way`;
  const rate = (1_000 * times.length) / ms;
  return [
    {
      what: `${name}: claim and answer of one sub-job, p50 and p99`,
      value: `${round(at(times, 0.5), 2)} and ${round(at(times, 0.99), 1)} ms (bare ${round(at(bare.times, 0.5), 2)} and ${round(at(bare.times, 0.99), 1)} ms)`,
      ...(workers === 1 ? { aim: 'p50 < 3 ms' } : {}),
    },
    {
      what: `${name}: sub-jobs a second`,
      value: `${round(rate)}, a bare echo of the same bytes ${round(bare.rate)}, ratio ${round(rate / bare.rate, 2)}`,
    },
  ];
}

/** The same messages to a server that ignores them. */
async function echoMessages(echo: string, workers: number, claimBytes: number) {
  const times: number[] = [];
  const worker = async () => {
    const pool = new Pool(echo, { connections: 1 });
    const say = sayFigure(pool, { authorization: `Bearer ${'x'.repeat(800)}`, 'troupe-instance': 'w1' });
    while (times.length < SUB_JOBS) {
      const began = performance.now();
      await say(`/?bytes=${claimBytes}`, JSON.stringify({ algorithms: ['NOOP'], max: 1, waitMs: 100 }));
      await say('/?bytes=2', trackAt(100));
      times.push(performance.now() - began);
    }
    await pool.close();
  };
  const ms = await measureTime(() => Promise.all(Array.from({ length: workers }, worker)));
  return { times, rate: (1_000 * times.length) / ms };
}

/** Several small sub-jobs per message, like the SDK. */
async function inTurn(server: Client, workers: number): Promise<Figure> {
  const stop = new AbortController();
  const clients = Array.from({ length: workers }, () => new WorkerClient(server.url, server.token));
  let done = 0;
  let all: () => void = () => undefined;
  const isDone = new Promise<void>((resolve) => (all = resolve));
  async function* handle() {
    done++;
    if (done === SUB_JOBS) all();
    yield await Promise.resolve('');
  }
  const running = clients.map((client) =>
    runWorker({ client, algorithms: ['NOOP'], signal: stop.signal, handle, log: () => undefined }),
  );
  const { jobId } = (await server.post('/rest/jobs', JOB)) as { jobId: string };
  const ms = await measureTime(() => isDone);
  await over(server, jobId);
  stop.abort();
  await Promise.all(running);
  clients.forEach((client) => client.close());
  return {
    what: `${workers} worker${workers > 1 ? 's' : ''} of the SDK, many in a message, from the POST of the job on: sub-jobs a second`,
    value: round((1_000 * SUB_JOBS) / ms),
  };
}

const sayFigure =
  (pool: Pool, headers: Readonly<Record<string, string>>) =>
  async (address: string, body: string): Promise<string> => {
    const type = { 'content-type': 'application/json' };
    const answer = await pool.request({
      path: address,
      method: 'POST',
      headers: { ...type, ...headers },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${address}: ${answer.statusCode} ${text}`);
    return text;
  };

async function over(server: Client, jobId: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${server.url}/rest/jobs/${jobId}`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const { terminal } = (await answer.json()) as { terminal: boolean };
    if (terminal) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A quantile of the values. */
const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN;
