/**
 * Grouping faces with a store on disk: time, and the longest block of the event loop. FACES=50000,
 * PEOPLE=2000.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../../actors/basics/clock.ts';
import { JOIN_DISTANCE, MOST_REPRESENTATIVES } from '../../../actors/people/grouping.ts';
import { People } from '../../../actors/people/people.ts';
import { distanceBelow } from '../../../actors/people/vectors.ts';
import type { DocumentFace } from '../../../store/search.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { randomOf, type Random } from '../../cluster/chaos/chaos-plan.ts';
import { measureTime, round, runInterleaved, type Figure } from '../measure.ts';
import { silent } from '../parts.ts';

const FACES = Number(process.env['FACES'] ?? 50_000);
const PERSONS = Number(process.env['PEOPLE'] ?? 2_000);
const [NUMBERS, SEED] = [128, 5] as const;
/** Faces per job, which has one medium. */
const OF_JOB = Number(process.env['FACES_OF_JOB'] ?? 500);

export const measurePeople = (): Promise<readonly Figure[]> => withStore(groupAll);

async function withStore<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const store = new SqliteStore(path.join(folder, 'troupe.db'));
  try {
    return await work(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function groupAll(store: SqliteStore): Promise<readonly Figure[]> {
  const people = openPeople(store);
  const vectors = makeVectors(FACES);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const turns = new TurnCost();
  const cpu = process.cpuUsage();
  delay.enable();
  turns.start();
  const took = await measureTime(() => takeAll(people, makeJobs(vectors)));
  delay.disable();
  turns.stop();
  const { user, system } = process.cpuUsage(cpu);
  const { total } = await people.list({ sight: 'ALL', limit: 1 });
  const reading = await measureTime(() => openPeople(store).list({ sight: 'ALL', limit: 1 }));
  return [
    { what: `${round(FACES)} faces to ${round(total)} people: CPU`, value: `${round((user + system) / 1e6, 1)} s`, aim: 'at most 60 s' }, // oxfmt-ignore
    { what: 'elapsed', value: `${round(took / 1_000, 1)} s` },
    { what: 'longest block of the event loop: its CPU time', value: `${round(turns.longestMs)} ms`, aim: 'at most 50 ms' }, // oxfmt-ignore
    { what: 'the same by the clock, with waiting for a processor and the disk', value: `${round(delay.max / 1e6)} ms` }, // oxfmt-ignore
    { what: 'p99 of the event loop delay', value: `${round(delay.percentile(99) / 1e6, 1)} ms` },
    { what: 'reading all of them at the first use', value: `${round(reading)} ms` },
  ];
}

/**
 * CPU time of the main thread in intervals of a millisecond. Unlike wall-clock time, it excludes other
 * processes.
 */
class TurnCost {
  longestMs = 0;
  #before = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#before = cpuOfThread();
    this.#timer = setInterval(() => this.#look(), 1);
  }

  stop(): void {
    this.#look();
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = cpuOfThread();
    this.longestMs = Math.max(this.longestMs, now - this.#before);
    this.#before = now;
  }
}

/** Milliseconds. */
const cpuOfThread = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

/** Number of faces for the ratio. */
const RATIO_FACES = 5_000;

/**
 * Processor time of grouping, compared with a plain search for the nearest vector in memory. Both use the
 * same faces alternately.
 */
export async function comparePeople(): Promise<readonly Figure[]> {
  const jobs = [...makeJobs(makeVectors(RATIO_FACES))];
  const { bare, people } = await runInterleaved(5, {
    bare: () => measureCpu(() => Promise.resolve(groupBare(jobs.flat()))),
    people: () => withStore((store) => measureCpu(() => takeAll(openPeople(store), jobs))),
  });
  const of = `${round(RATIO_FACES)} faces to people`;
  return [
    { what: `${of}: bare loop over vectors in memory; service with its store`, value: `${round(bare)}; ${round(people)} ms of CPU` }, // oxfmt-ignore
    { what: `${of}: in parts of the bare loop`, value: (people / bare).toFixed(2) },
  ];
}

async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Each face joins the group of the nearest face, or starts a new one. */
function groupBare(faces: readonly DocumentFace[]): number {
  const groups: Float32Array[][] = [];
  for (const { vector } of faces) {
    let [nearest, least]: [Float32Array[] | undefined, number] = [undefined, JOIN_DISTANCE];
    for (const group of groups)
      for (const other of group) {
        const distance = distanceBelow(vector, other, least);
        if (distance < least) [nearest, least] = [group, distance];
      }
    if (nearest === undefined) groups.push([vector]);
    else if (nearest.length < MOST_REPRESENTATIVES) nearest.push(vector);
  }
  return groups.length;
}

async function takeAll(people: People, jobs: Iterable<readonly DocumentFace[]>): Promise<void> {
  let number = 0;
  for (const faces of jobs) {
    await people.take({ number, run: 1, jobId: `host-${number}` }, faces);
    number++;
  }
}

const openPeople = (store: SqliteStore) =>
  new People({
    ...{ store, writer: { server: 'bench', epoch: 1 }, clock: systemClock, logger: silent },
    ...{ visibility: 'all', isOn: true },
    findJob: () => Promise.resolve({ status: 'COMPLETE', run: 1, hasDocument: true }),
  });

/** Distances are 0.4 to 0.9 for one person and about 1.3 for two, like those of the built-in model. */
function makeVectors(count: number): Float32Array {
  const random = randomOf(SEED, 1);
  const centres = Array.from({ length: PERSONS }, () => unitVector(random));
  const vectors = new Float32Array(count * NUMBERS);
  for (let n = 0; n < count; n++) {
    const centre = centres[Math.floor(random() * centres.length)]!;
    const noise = unitVector(random);
    const far = 0.1 + 0.35 * random();
    vectors.set(normalize(centre.map((value, i) => value + far * noise[i]!)), n * NUMBERS);
  }
  return vectors;
}

/** One job after the other, like a server reads them, so that only the faces of one job are in memory. */
function* makeJobs(vectors: Float32Array): Generator<readonly DocumentFace[]> {
  const random = randomOf(SEED, 2);
  const count = vectors.length / NUMBERS;
  for (let at = 0; at < count; at += OF_JOB)
    yield Array.from({ length: Math.min(OF_JOB, count - at) }, (_, n) => makeFace(random, vectors, at + n));
}

function makeFace(random: Random, vectors: Float32Array, n: number): DocumentFace {
  const startFrame = (n % OF_JOB) * 30;
  return {
    ...{ mediaId: 1, mediaUri: `file:///media/${Math.floor(n / OF_JOB)}.mp4`, mediaType: 'VIDEO' },
    ...{ trackId: `${n}`.padStart(64, '0'), startFrame, stopFrame: startFrame + 40 },
    ...{ startMs: 0, stopMs: 1_333, frame: startFrame },
    ...{ confidence: 0.5 + 0.5 * random(), model: 'face-recognition@1' },
    ...{ box: { x: 10, y: 20, width: 80, height: 100 }, side: 50 + 100 * random() },
    ...{ width: 1_920, height: 1_080 },
    vector: vectors.slice(n * NUMBERS, (n + 1) * NUMBERS),
  };
}

const unitVector = (random: Random): Float32Array =>
  normalize(Float32Array.from({ length: NUMBERS }, () => normal(random)));

const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

function normalize(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
