/**
 * The search: indexing a document with a million detections, its effect on other requests, and queries over a
 * million results.
 */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from 'undici';
import { detectionFile } from '../../../results/layout.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { storeJob } from '../../actors/views/ended-jobs.ts';
import { startClient, type Client } from '../jobs/client.ts';
import { round, type Figure } from '../measure.ts';
import { forgetPeak, inMib, peakBytes, residentBytes } from '../memory.ts';

const LARGE = { jobs: 1, tracks: 100_000, length: 10 };
export const MANY = { jobs: 1_000, tracks: 1_000, length: 1 };
const QUESTIONS = 60;
const WORDS = 50_000;
const CLASSES = ['person', 'car', 'truck', 'bus', 'dog', 'bicycle', 'train', 'boat'];

type Documents = typeof LARGE;

export async function measureSearch(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    return [...(await measureTaking(folder)), ...(await measureAsking(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureTaking(folder: string): Promise<readonly Figure[]> {
  const bytes = await fill(path.join(folder, 'large'), LARGE);
  const quiet = await startClient(folder, 'large', { SEARCH: 'false' });
  const alone = await latencies(quiet, () => Promise.resolve(false), 1_000);
  await quiet.stop();
  const client = await startClient(folder, 'large');
  const [before, start] = [residentBytes(client.pid), performance.now()];
  forgetPeak(client.pid);
  const during = await latencies(client, async () => (await askSearch(client, 'limit=1')).complete, Infinity);
  const ms = performance.now() - start;
  const grown = peakBytes(client.pid) - before;
  await client.stop();
  const { jobs, tracks, length } = LARGE;
  return [
    {
      what: `taking in a document of ${round(jobs * tracks * length)} detections, ${round(tracks)} tracks (${round(bytes / 1e6)} MB)`,
      value: `${round(ms / 1_000, 1)} s`,
    },
    { what: 'growth of the server by that, at its peak', value: inMib(grown), aim: '<= 128 MiB' },
    { what: 'GET /rest/jobs without it: p50, p99', value: percentiles(alone, [50, 99]) },
    { what: 'GET /rest/jobs meanwhile: p50, p99', value: percentiles(during, [50, 99]) },
  ];
}

async function measureAsking(folder: string): Promise<readonly Figure[]> {
  const bytes = await fill(path.join(folder, 'many'), MANY);
  const client = await startClient(folder, 'many');
  const start = performance.now();
  while (!(await askSearch(client, 'limit=1')).complete) await pause(500);
  const ms = performance.now() - start;
  const all: number[] = [];
  const figures: Figure[] = [];
  for (const [what, query] of Object.entries(KINDS)) {
    const times: number[] = [];
    for (let n = 0; n < QUESTIONS; n++) times.push(await timeOf(() => askSearch(client, query(n))));
    all.push(...times);
    figures.push({ what: `${what}: p50, p95`, value: percentiles(times, [50, 95]) });
  }
  await client.stop();
  const file = statSync(path.join(folder, 'many', 'search.db')).size;
  return [
    {
      what: `taking in ${round(MANY.jobs)} documents of ${round(MANY.tracks)} findings (${round(bytes / 1e6)} MB)`,
      value: `${round(ms / 1_000, 1)} s; the index has ${round(file / 1e6)} MB`,
    },
    ...figures,
    { what: 'all questions: p50, p95', value: percentiles(all, [50, 95]), aim: 'p95 <= 100 ms' },
  ];
}

/** Queries over a million results in pages of 50. Words with lower numbers are more frequent. */
export const KINDS: Readonly<Record<string, (n: number) => string>> = {
  'a rare word': (n) => `text=${wordOf(20_000 + 400 * n)}`,
  'the most frequent words (in a third of all findings)': (n) => `text=${wordOf(n % 5)}`,
  'two frequent words': (n) => `text=${wordOf(n)}+${wordOf(n + 1)}`,
  'a phrase of frequent words': (n) => `text=%22${wordOf(n)}+${wordOf((7 * n) % 60)}%22`,
  'a word that begins with two letters': (n) => `text=${wordOf(17 * n).slice(0, 2)}*`,
  'a word that begins with four letters': (n) => `text=${wordOf(301 * n).slice(0, 4)}*`,
  'a class': (n) => `class=${CLASSES[n % CLASSES.length]}`,
  'a frequent word, class and job': (n) => `text=${wordOf(n)}&class=car&job=host-${1 + 16 * n}`,
  'a frequent word, of jobs that ended in an hour': (n) =>
    `text=${wordOf(n)}&from=${isoOf(n)}&to=${isoOf(n + 1)}`,
  'a word that is nowhere': (n) => `text=nowhere${n}`,
};

const isoOf = (hour: number) => new Date(hour * 3_600_000).toISOString();

/** Writes documents of ended jobs, ten minutes apart. Returns their size in bytes. */
export async function fill(dataDir: string, { jobs, tracks, length }: Documents): Promise<number> {
  mkdirSync(dataDir, { recursive: true });
  const store = new SqliteStore(path.join(dataDir, 'troupe.db'));
  const random = seededRandom(7);
  let bytes = 0;
  for (let number = 1; number <= jobs; number++) {
    const file = path.join(dataDir, detectionFile(`host-${number}.1`));
    mkdirSync(path.dirname(file), { recursive: true });
    const out = createWriteStream(file);
    out.write(
      '{"media":[\n{"mediaId":1,"path":"file:///media/a.mp4","output":{\n"TEXT":[{"source":"A","algorithm":"B","tracks":[',
    );
    for (let n = 0; n < tracks; n++) if (!out.write(`${n === 0 ? '' : ','}\n${lineOf(number, n, length, random)}`)) await once(out, 'drain'); // oxfmt-ignore
    out.end(']}]}}]}\n');
    await once(out, 'finish');
    bytes += out.bytesWritten;
    await storeJob(store, { number, endedAt: number * 600_000, document: true });
  }
  await store.next('job', jobs + 1);
  await store.close();
  return bytes;
}

function lineOf(job: number, frame: number, length: number, random: () => number): string {
  const text = Array.from({ length: 4 + Math.floor(random() * 8) }, () =>
    wordOf(Math.floor(WORDS ** random()) - 1),
  );
  const trackProperties = {
    TEXT: text.join(' '),
    CLASSIFICATION: CLASSES[Math.floor(random() * CLASSES.length)],
  };
  const detection = {
    ...{ offsetFrame: frame, offsetTime: frame * 40, x: 10, y: 20, width: 30, height: 40, confidence: 0.5 },
    detectionProperties: { TEXT: text.join(' ') },
    ...{ artifactExtractionStatus: 'NOT_ATTEMPTED', artifactPath: null },
  };
  const times = {
    startOffsetFrame: frame,
    stopOffsetFrame: frame,
    startOffsetTime: 40 * frame,
    stopOffsetTime: 40 * frame,
  };
  const detections = Array.from({ length }, () => detection);
  const id = `${job}.${frame}`.padStart(64, '0');
  return JSON.stringify({ id, index: frame, ...times, type: 'TEXT', source: 'A', confidence: 0.5, trackProperties, exemplar: detection, detections }); // oxfmt-ignore
}

/** Made of syllables, so that many words share a prefix. */
function wordOf(n: number): string {
  const syllables = ['ka', 'lo', 'mi', 'ne', 'ru', 'sa', 'te', 'vo', 'xi', 'zu'];
  return Array.from(String(n), (digit) => syllables[Number(digit)]).join('');
}

/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), the same each time. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Page {
  readonly complete: boolean;
}

async function askSearch(client: Client, query: string): Promise<Page> {
  return (await getJson(client, `/rest/search?${query}`)) as Page;
}

async function getJson({ url, token }: Client, address: string): Promise<unknown> {
  const { statusCode, body } = await request(url + address, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${address} answered ${statusCode}: ${text}`);
  return JSON.parse(text) as unknown;
}

/** Durations of consecutive requests, until `hasEnded` or the limit `most`. */
async function latencies(
  client: Client,
  hasEnded: () => Promise<boolean>,
  most: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (times.length < most && (times.length % 100 !== 0 || !(await hasEnded()))) {
    times.push(await timeOf(() => getJson(client, '/rest/jobs?limit=1')));
    await pause(2);
  }
  return times;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function percentiles(times: readonly number[], percents: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (percent: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)]!;
  return `${percents.map((percent) => round(at(percent), 1)).join(', ')} ms`;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
