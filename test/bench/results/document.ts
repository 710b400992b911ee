/** A document with a million detections: time and memory to write it and to send it over HTTP. Linux only. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { detectionFile, runFolder } from '../../../results/layout.ts';
import { trackLine } from '../../results/document/document-parts.ts';
import { startChild, jsonOf } from '../jobs/child.ts';
import { startClient } from '../jobs/client.ts';
import { LENGTH, runLargeJob, TRACKS } from '../jobs/large-job.ts';
import { runInterleaved, median, round, type Figure } from '../measure.ts';
import { forgetPeak, inMib, peakBytes, residentBytes } from '../memory.ts';

const MEMORY_AIM = '<= 64 MiB';
const TOGETHER = 8;

export async function largeDocument(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    return [...(await measureWriting(folder)), ...(await measureServing(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureWriting(folder: string): Promise<readonly Figure[]> {
  const [source, target] = [path.join(folder, 'tracks.ndjson'), path.join(folder, 'written')];
  await writeTracks(source);
  const peaks: Record<string, number[]> = { idle: [], document: [], lines: [], bytes: [] };
  const way = (what: string) => async () => {
    const args = [what, source, target, String(TRACKS)];
    const { ms, peak } = (await jsonOf('results/document-child.js', args)) as { ms: number; peak: number };
    peaks[what]!.push(peak);
    return ms;
  };
  const times = await runInterleaved(7, {
    idle: way('idle'),
    document: way('document'),
    lines: way('lines'),
    bytes: way('bytes'),
  });
  rmSync(source);
  rmSync(target);
  const more = (what: string) => inMib(median(peaks[what]!) - median(peaks['idle']!));
  return [
    {
      what: `writing the document of ${round(TRACKS * LENGTH)} detections`,
      value: `${round(times.document)} ms`,
    },
    {
      what: 'a bare copy of the same lines',
      value: `${round(times.lines)} ms, ratio ${round(times.document / times.lines, 2)}`,
      aim: '<= 1.5',
    },
    {
      what: 'a bare copy of the same bytes, without looking at them',
      value: `${round(times.bytes)} ms, ratio ${round(times.document / times.bytes, 2)}`,
    },
    { what: 'peak of memory above the idle process: document', value: more('document'), aim: MEMORY_AIM },
    {
      what: 'peak of memory above the idle process: copies by lines, by bytes',
      value: `${more('lines')}, ${more('bytes')}`,
    },
  ];
}

async function writeTracks(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (let index = 0; index < TRACKS; index++)
    if (!out.write(`${trackLine('FACE', index, LENGTH)}\n`)) await once(out, 'drain');
  out.end('{"summary":{}}\n');
  await once(out, 'finish');
}

/**
 * The job runs on one server. A new server sends the document, because the memory of the first one has grown.
 */
async function measureServing(folder: string): Promise<readonly Figure[]> {
  const made = await runLargeJob(folder);
  const document = path.join(folder, 'data', detectionFile(runFolder(made.jobId, 1)));
  const bare = await startChild('bare/bare-file.js', [document]);
  const service = await startClient(folder, 'data');
  const from = { url: `${service.url}/rest/jobs/${made.jobId}/output/detection`, token: service.token };
  const before = residentBytes(service.pid);
  forgetPeak(service.pid);
  let bytes = 0;
  const rates = await runInterleaved(9, {
    bare: async () => rate(await download(bare.url, '')),
    service: async () => rate(await download(from.url, from.token)),
  });
  const one = peakBytes(service.pid) - before;
  await Promise.all(Array.from({ length: TOGETHER }, () => download(from.url, from.token)));
  const many = peakBytes(service.pid) - before;
  await Promise.all([service.stop(), bare.stop()]);
  return [
    {
      what: `a job of ${round(TRACKS * LENGTH)} detections from POST to end (document of ${round(bytes / 1e6)} MB)`,
      value: `${round(made.ms / 1_000, 1)} s`,
    },
    { what: 'growth of the server by that job, at its peak', value: inMib(made.grown) },
    { what: 'serving the document: bare http server', value: `${round(rates.bare)} MB/s` },
    {
      what: 'serving the document: the service',
      value: `${round(rates.service)} MB/s, ratio ${round(rates.service / rates.bare, 2)}`,
    },
    { what: 'growth of the server by serving it 9 times', value: inMib(one), aim: MEMORY_AIM },
    { what: `growth with ${TOGETHER} clients at a time after that`, value: inMib(many), aim: MEMORY_AIM },
  ];

  function rate({ size, ms }: Download): number {
    return (bytes = size) / 1e3 / ms;
  }
}

interface Download {
  readonly size: number;
  readonly ms: number;
}

/** Downloads everything without storing it. */
async function download(url: string, token: string): Promise<Download> {
  const start = performance.now();
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let size = 0;
  response.on('data', (chunk: Buffer) => (size += chunk.length));
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
  return { size, ms: performance.now() - start };
}
