/**
 * Search for similar tracks: adding vectors, building files, and filtered queries, compared with a comparison
 * of all vectors. VECTORS=1000000 for more.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SqliteSearch } from '../../../search/sqlite/sqlite-search.ts';
import type { SearchedJob } from '../../../store/search.ts';
import { randomOf, type Random } from '../../cluster/chaos/chaos-plan.ts';
import { SEARCH_OF_TESTS } from '../../search/open.ts';
import { featureOf, MODEL } from '../../search/vectors.ts';
import { measureTime, round, type Figure } from '../measure.ts';
import { inMib } from '../memory.ts';
import type { FindAnswer, FindAnswers, FindQuestion } from './find-child.ts';

const COUNT = Number(process.env['VECTORS'] ?? 100_000);
const [DIMENSION, OF_DOCUMENT, QUESTIONS] = [128, 10_000, 50] as const;
/** Number of vectors per cluster. */
const OF_CENTRE = 100;
const SEED = 7;

/** Filters of queries, and the vectors that match each one. */
const KINDS: Readonly<
  Record<string, { readonly filter: FindQuestion['filter']; meets(n: number): boolean }>
> = {
  'no filter': { filter: {}, meets: () => true },
  'a class that half of the tracks have': { filter: { class: 'half' }, meets: (n) => n % 2 === 1 },
  'a class that one of 50 tracks has': { filter: { class: 'rare' }, meets: (n) => n % 50 === 0 },
  'jobs of one user of ten': {
    filter: { sight: { user: 'user 1' } },
    meets: (n) => documentOf(n) % 10 === 1,
  },
  'media with a name': {
    filter: { medium: '/media/1.' },
    meets: (n) => documentOf(n) === 1,
  },
};
const documentOf = (n: number) => Math.floor(n / OF_DOCUMENT);
const classOf = (n: number) => (n % 50 === 0 ? 'rare' : n % 2 === 1 ? 'half' : 'other');

export async function measureFinding(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    const vectors = makeVectors(randomOf(SEED, 1));
    const file = path.join(folder, 'search.db');
    const made = await build(folder, file, vectors);
    return [...made, ...askAll(folder, file, vectors)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates vectors in clusters, like those of pictures. */
function makeVectors(random: Random): Float32Array {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Float32Array.from({ length: Math.ceil(COUNT / OF_CENTRE) * DIMENSION }, normal);
  const vectors = new Float32Array(COUNT * DIMENSION);
  for (let n = 0; n < COUNT; n++) {
    const centre = Math.floor((random() * centres.length) / DIMENSION) * DIMENSION;
    let norm = 0;
    for (let i = 0; i < DIMENSION; i++) {
      const value = centres[centre + i]! + normal();
      vectors[n * DIMENSION + i] = value;
      norm += value * value;
    }
    for (let i = 0; i < DIMENSION; i++) vectors[n * DIMENSION + i]! /= Math.sqrt(norm);
  }
  return vectors;
}

const vectorAt = (vectors: Float32Array, n: number) => vectors.subarray(n * DIMENSION, (n + 1) * DIMENSION);

async function build(folder: string, file: string, vectors: Float32Array): Promise<readonly Figure[]> {
  const jobs: SearchedJob[] = [];
  for (let number = 0; number < Math.ceil(COUNT / OF_DOCUMENT); number++)
    jobs.push(await writeJob(folder, number, vectors));
  let built: () => void;
  const whole = new Promise<void>((resolve) => (built = resolve));
  const index = new SqliteSearch({
    ...SEARCH_OF_TESTS,
    file,
    onVectors: ({ indexed, total, more }) => {
      if (!more && total === COUNT && indexed > COUNT / 2) built();
    },
    onVectorsFailed: (error) => console.error(error),
  });
  // An idle index does not keep the process alive.
  const alive = setInterval(() => undefined, 1_000);
  const taking = await measureTime(() => index.put(jobs));
  const building = await measureTime(() => whole);
  clearInterval(alive);
  await index.close();
  const files = readdirSync(`${file}-vectors`).map(
    (name) => statSync(path.join(`${file}-vectors`, name)).size,
  );
  const bytes = files.reduce((sum, size) => sum + size, 0);
  return [
    {
      what: `taking in ${round(COUNT)} vectors of ${DIMENSION} numbers`,
      value: `${round(taking / 1_000, 1)} s`,
    },
    {
      what: 'building their files after that, in one thread',
      value: `${round(building / 1_000, 1)} s; ${files.length} files, ${inMib(bytes)}`,
    },
  ];
}

async function writeJob(folder: string, number: number, vectors: Float32Array): Promise<SearchedJob> {
  const document = path.join(folder, `${number}.json`);
  const out = createWriteStream(document);
  out.write(
    `{"media":[\n{"mediaId":1,"path":"file:///media/${number}.jpg","mediaType":"IMAGE","output":{\n"CLASS":[{"source":"A","algorithm":"ONNX","tracks":[`,
  );
  const last = Math.min(COUNT, (number + 1) * OF_DOCUMENT);
  for (let n = number * OF_DOCUMENT; n < last; n++) {
    const properties = {
      CLASSIFICATION: classOf(n),
      FEATURE: featureOf([...vectorAt(vectors, n)]),
      FEATURE_MODEL: MODEL,
    };
    const line = JSON.stringify({
      id: String(n),
      type: 'CLASS',
      confidence: 0.5,
      trackProperties: properties,
    });
    if (!out.write(`${n % OF_DOCUMENT === 0 ? '' : ','}\n${line}`)) await once(out, 'drain');
  }
  out.end(']}]}}]}\n');
  await once(out, 'finish');
  const owner = { user: `user ${number % 10}` };
  return {
    number: number + 1,
    run: 1,
    jobId: `host-${number}`,
    externalId: null,
    endedAt: number,
    owner,
    document,
    tasks: {},
  };
}

function askAll(folder: string, file: string, vectors: Float32Array): readonly Figure[] {
  const random = randomOf(SEED, 2);
  const questions = Object.entries(KINDS).flatMap(([kind, { filter }]) =>
    Array.from({ length: QUESTIONS }, (): FindQuestion => {
      const vector = [...vectorAt(vectors, Math.floor(random() * COUNT))];
      return { kind, filter, vector: vector.map((value) => value + (random() - 0.5) / 50) };
    }),
  );
  const asked = path.join(folder, 'questions.json');
  writeFileSync(asked, JSON.stringify(questions));
  const child = fileURLToPath(new URL('./find-child.js', import.meta.url));
  const said = execFileSync(process.execPath, [child, file, asked], {
    // As deploy/ starts a server.
    env: { ...process.env, MALLOC_TRIM_THRESHOLD_: '131072' },
    ...{ encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  const { answers, grownBytes } = JSON.parse(said) as FindAnswers;
  const of = (kind: string) => answers.filter((_, n) => questions[n]!.kind === kind);
  const figures = Object.keys(KINDS).map((kind): Figure => {
    const recall = questions.reduce(
      (sum, question, n) => sum + (question.kind === kind ? foundOf(question, answers[n]!, vectors) : 0),
      0,
    );
    return {
      what: `${kind}: p50, p95; recall@10`,
      value: `${percentilesOf(of(kind))}; ${(recall / QUESTIONS).toFixed(3)}`,
      aim: 'recall >= 0.95',
    };
  });
  return [
    ...figures,
    { what: 'all questions: p50, p95', value: percentilesOf(answers), aim: 'p95 <= 100 ms' },
    {
      what: 'memory of the questions beside the mapped files, above that of other searches',
      value: inMib(grownBytes),
      aim: '<= 64 MiB',
    },
  ];
}

/** Share of the ten nearest vectors that were found. */
function foundOf({ vector, kind }: FindQuestion, { ids }: FindAnswer, vectors: Float32Array): number {
  const nearest: { n: number; similarity: number }[] = [];
  for (let n = 0; n < COUNT; n++) {
    if (!KINDS[kind]!.meets(n)) continue;
    let similarity = 0;
    for (let i = 0; i < DIMENSION; i++) similarity += vector[i]! * vectors[n * DIMENSION + i]!;
    if (nearest.length === 10 && similarity <= nearest[9]!.similarity) continue;
    nearest.push({ n, similarity });
    nearest.sort((a, b) => b.similarity - a.similarity);
    nearest.length = Math.min(nearest.length, 10);
  }
  return nearest.filter(({ n }) => ids.includes(n)).length / nearest.length;
}

function percentilesOf(answers: readonly FindAnswer[]): string {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return `${round(at(0.5), 1)} ms, ${round(at(0.95), 1)} ms`;
}
