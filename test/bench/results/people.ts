/** Faces into groups over a store on disk: time, and the longest block of the event loop. FACES=50000, PEOPLE=2000. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../../actors/basics/clock.ts';
import { People } from '../../../actors/people/people.ts';
import type { DocumentFace } from '../../../store/search.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { randomOf, type Random } from '../../cluster/chaos/chaos-plan.ts';
import { measureTime, round, type Figure } from '../measure.ts';
import { silent } from '../parts.ts';

const FACES = Number(process.env['FACES'] ?? 50_000);
const PERSONS = Number(process.env['PEOPLE'] ?? 2_000);
const [NUMBERS, SEED] = [128, 5] as const;
/** Of a job, which is one medium. */
const OF_JOB = Number(process.env['FACES_OF_JOB'] ?? 500);

export async function measurePeople(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const store = new SqliteStore(path.join(folder, 'troupe.db'));
  try {
    return await groupAll(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function groupAll(store: SqliteStore): Promise<readonly Figure[]> {
  const people = openPeople(store);
  const jobs = makeJobs();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  delay.enable();
  const took = await measureTime(async () => {
    for (const [number, faces] of jobs.entries())
      await people.take({ number, run: 1, jobId: `host-${number}` }, faces);
  });
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const { total } = await people.list({ sight: 'ALL', limit: 1 });
  const reading = await measureTime(() => openPeople(store).list({ sight: 'ALL', limit: 1 }));
  return [
    { what: `${round(FACES)} faces to ${round(total)} people: CPU`, value: `${round((user + system) / 1e6, 1)} s`, aim: 'at most 60 s' }, // oxfmt-ignore
    { what: 'elapsed', value: `${round(took / 1_000, 1)} s` },
    { what: 'longest block of the event loop', value: `${round(delay.max / 1e6)} ms`, aim: 'at most 50 ms' },
    { what: 'p99 of the event loop delay', value: `${round(delay.percentile(99) / 1e6, 1)} ms` },
    { what: 'reading all of them at the first use', value: `${round(reading)} ms` },
  ];
}

const openPeople = (store: SqliteStore) =>
  new People({
    ...{ store, writer: { server: 'bench', epoch: 1 }, clock: systemClock, logger: silent },
    ...{ visibility: 'all', isOn: true },
    findJob: () => Promise.resolve({ status: 'COMPLETE', run: 1, hasDocument: true }),
  });

/** Faces of one person are 0.4 to 0.9 from each other, and those of two about 1.3: as with the built-in model. */
function makeJobs(): readonly (readonly DocumentFace[])[] {
  const random = randomOf(SEED, 1);
  const centres = Array.from({ length: PERSONS }, () => unitVector(random));
  const faces = Array.from({ length: FACES }, (_, n) => makeFace(random, centres, n));
  return Array.from({ length: Math.ceil(FACES / OF_JOB) }, (_, n) =>
    faces.slice(n * OF_JOB, (n + 1) * OF_JOB),
  );
}

function makeFace(random: Random, centres: readonly Float32Array[], n: number): DocumentFace {
  const centre = centres[Math.floor(random() * centres.length)]!;
  const noise = unitVector(random);
  const far = 0.1 + 0.35 * random();
  const startFrame = (n % OF_JOB) * 30;
  return {
    ...{ mediaId: 1, mediaUri: `file:///media/${Math.floor(n / OF_JOB)}.mp4`, mediaType: 'VIDEO' },
    ...{
      trackId: `${n}`.padStart(64, '0'),
      startFrame,
      stopFrame: startFrame + 40,
      startMs: 0,
      stopMs: 1_333,
    },
    ...{ confidence: 0.5 + 0.5 * random(), model: 'face-recognition@1', frame: startFrame },
    ...{
      box: { x: 10, y: 20, width: 80, height: 100 },
      side: 50 + 100 * random(),
      width: 1_920,
      height: 1_080,
    },
    vector: normalize(centre.map((value, i) => value + far * noise[i]!)),
  };
}

const unitVector = (random: Random): Float32Array =>
  normalize(Float32Array.from({ length: NUMBERS }, () => normal(random)));

const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

function normalize(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
