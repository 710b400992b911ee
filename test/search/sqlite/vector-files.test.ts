/**
 * Vector files of the search: results as good as a comparison with all vectors, and a rebuild after every
 * damage.
 */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SqliteSearch } from '../../../search/sqlite/sqlite-search.ts';
import { BUILD_AT, gapsOf, mergedFrom } from '../../../search/sqlite/similar/segments.ts';
import type { SearchedJob, SimilarHits, SimilarQuery } from '../../../store/search.ts';
import { between, randomOf } from '../../cluster/chaos/chaos-plan.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { seed, seeded } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { askedOf, givenDocument } from '../documents.ts';
import { openAt } from '../open.ts';
import { clusteredVectors, cosine, MODEL, trackLike } from '../vectors.ts';

const [COUNT, DIMENSION, OF_DOCUMENT] = [3_000, 24, 500] as const;
/** Slightly more vectors than a file needs, so that files and rows outside of files are searched together. */
expect(COUNT).to.be.greaterThan(BUILD_AT);

describe(`The files of vectors ${seeded}`, () => {
  const at = temporaryFolder();
  const random = randomOf(seed, 1);
  const vectors = clusteredVectors(random, COUNT, DIMENSION);
  const classOf = (n: number) => `class ${n % 10 === 0 ? 'rare' : 'common'}`;
  let jobs: readonly SearchedJob[];
  let index: SqliteSearch;
  before(() => {
    jobs = Array.from({ length: COUNT / OF_DOCUMENT }, (_, job) => {
      const numbers = Array.from({ length: OF_DOCUMENT }, (__, n) => job * OF_DOCUMENT + n);
      const tracks = numbers.map((n) => trackLike(String(n), vectors[n]!, { class: classOf(n) }));
      return givenDocument(at(`${job}.json`), { number: job + 1, tracks });
    });
  });
  afterEach(() => index.close());

  const filesOf = (file: string) =>
    existsSync(`${file}-vectors`)
      ? readdirSync(`${file}-vectors`).filter((name) => name.endsWith('.usearch'))
      : [];
  const similar = async (vector: readonly number[], more: Partial<SimilarQuery> = {}) => {
    const { cursor: _, ...query } = askedOf({ limit: 10 });
    const found = await index.similar({ ...query, ...more, like: { vector, model: MODEL } });
    expect(found).to.have.property('hits');
    return found as SimilarHits;
  };
  const idsLike = async (vector: readonly number[], more?: Partial<SimilarQuery>) =>
    (await similar(vector, more)).hits.map(({ trackId }) => Number(trackId));
  const exact = (vector: readonly number[], isMeant: (n: number) => boolean = () => true) =>
    vectors
      .map((one, n) => ({ n, similarity: cosine(one, vector) }))
      .filter(({ n }) => isMeant(n))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, 10)
      .map(({ n }) => n);
  /** Share of the ten nearest vectors that the search finds, over several queries. */
  const recall = async (more?: Partial<SimilarQuery>, isMeant?: (n: number) => boolean) => {
    let found = 0;
    const questions = Array.from({ length: 20 }, () => vectors[between(random, 0, COUNT - 1)]!);
    for (const vector of questions) {
      const nearest = new Set(exact(vector, isMeant));
      found += (await idsLike(vector, more)).filter((n) => nearest.has(n)).length;
    }
    return found / (10 * questions.length);
  };
  const hasFile = (file: string) => until('a file of vectors is there', () => filesOf(file).length > 0);
  /** An index with files, copied for each test. */
  let made: string | undefined;
  const openCopy = async (name: string, damage: (file: string) => void = () => undefined) => {
    if (made === undefined) {
      made = at('made.db');
      index = openAt(made);
      await index.put(jobs);
      await hasFile(made);
      await index.close();
    }
    const file = at(`${name}.db`);
    for (const end of ['', '-wal', '-vectors'])
      if (existsSync(`${made}${end}`)) cpSync(`${made}${end}`, `${file}${end}`, { recursive: true });
    damage(file);
    index = openAt(file);
    return file;
  };

  it('find nearly all of the nearest tracks that comparing all vectors finds', async () => {
    const file = await openCopy('recall');
    expect(filesOf(file)).to.have.length(1);
    expect(await recall()).to.be.at.least(0.95);
    expect(await recall({ class: 'class rare' }, (n) => n % 10 === 0)).to.be.at.least(0.95);
    expect(await recall({ class: 'class common' }, (n) => n % 10 !== 0)).to.be.at.least(0.95);
    expect(await recall({ medium: '/media/4-' }, (n) => Math.floor(n / OF_DOCUMENT) === 3)).to.be.at.least(
      0.95,
    );
  });

  it('are not needed for a class of few among many tracks, which are all compared', async () => {
    const [count, ofDocument, ofRare] = [48_000, 12_000, 22];
    const many = clusteredVectors(random, count, 4);
    const isRare = (n: number) => n % ofRare === 0;
    index = openAt(at('many.db'));
    for (let job = 0; job < count / ofDocument; job++) {
      const numbers = Array.from({ length: ofDocument }, (_, n) => job * ofDocument + n);
      const tracks = numbers.map((n) =>
        trackLike(String(n), many[n]!, { class: isRare(n) ? 'rare' : 'common' }),
      );
      await index.put([givenDocument(at(`many-${job}.json`), { number: job + 1, tracks })]);
    }
    for (let asked = 0; asked < 10; asked++) {
      const vector = many[between(random, 0, count - 1)]!;
      const nearest = many
        .map((one, n) => ({ n, similarity: cosine(one, vector) }))
        .filter(({ n }) => isRare(n))
        .toSorted((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      const { hits } = await similar(vector, { class: 'rare' });
      // Nearly equal similarities may be in another order.
      for (const [n, { similarity }] of hits.entries())
        expect(similarity).to.be.closeTo(nearest[n]!.similarity, 1e-5);
      expect(hits).to.have.length(10);
      expect(hits.every(({ trackId }) => isRare(Number(trackId)))).to.equal(true);
    }
  });

  for (const [what, damage] of [
    ['was truncated', (file: string) => truncateSync(file, 1_000)],
    ['was truncated to nothing', (file: string) => truncateSync(file, 0)],
    ['was overwritten', (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size, 7))],
    ['was deleted', (file: string) => rmSync(file)],
    ['is of another version', (file: string) => renameSync(file, file.replace('v1-', 'v0-'))],
    ['is of another database', (file: string) => renameSync(file, file.replace(/v1-\w+-/, 'v1-00000000-'))],
  ] as const)
    it(`that ${what} is built again, and found in meanwhile`, async () => {
      const file = await openCopy(what, (copy) => damage(path.join(`${copy}-vectors`, filesOf(copy)[0]!)));
      const [vector] = vectors;
      expect(await idsLike(vector!)).to.deep.equal(exact(vector!));
      await index.put([jobs[0]!]);
      await hasFile(file);
      expect(await recall()).to.be.at.least(0.95);
      expect(filesOf(file).every((name) => name.startsWith('v1-') && !name.includes('00000000-'))).to.equal(
        true,
      );
    });

  it('find the nearest tracks of several files, though few of the nearest meet a filter', async () => {
    const file = at('several.db');
    index = openAt(file);
    const towards = (angle: number) => [Math.cos(angle), Math.sin(angle), 0];
    /**
     * In the first file, other vectors are nearer than the matching ones. In the second file, all vectors
     * match and are far away.
     */
    const trackAt = (n: number) => {
      if (n >= BUILD_AT) return trackLike(String(n), towards(1.5 + (n - BUILD_AT) / 1e5), { class: 'meant' });
      if (n < 400) return trackLike(String(n), towards(n / 1e3), { class: 'other' });
      return trackLike(String(n), towards(0.5 + n / 1e4), { class: 'meant' });
    };
    for (let part = 0; part < 2; part++) {
      const tracks = Array.from({ length: BUILD_AT }, (_, n) => trackAt(part * BUILD_AT + n));
      await index.put([givenDocument(at(`part-${part}.json`), { number: part + 1, tracks })]);
      await until(`${part + 1} files are there`, () => filesOf(file).length === part + 1);
    }
    const ids = await idsLike(towards(0), { class: 'meant' });
    expect(ids).to.have.length(10);
    expect(ids.every((n) => n < BUILD_AT)).to.equal(true);
  });

  it('that is deleted while it is searched is searched on, and built again', async () => {
    const file = await openCopy('mapped');
    const [vector] = vectors;
    expect(await idsLike(vector!)).to.deep.equal(exact(vector!));
    rmSync(`${file}-vectors`, { recursive: true });
    expect(await idsLike(vector!)).to.deep.equal(exact(vector!));
    await index.put([jobs[0]!]);
    await hasFile(file);
    expect(await recall()).to.be.at.least(0.95);
  });

  for (const bytes of [0, 4_096])
    it(`that is cut to ${bytes} bytes while it is searched neither ends the process nor is used`, async () => {
      const file = await openCopy(`cut ${bytes}`);
      const isBefore = await recall();
      const [name] = filesOf(file);
      truncateSync(path.join(`${file}-vectors`, name!), bytes);
      expect(isBefore).to.be.at.least(0.95);
      expect(await recall(), 'in what is mapped').to.be.at.least(0.95);
      await index.close();
      index = openAt(file);
      await hasFile(file);
      expect(await idsLike(vectors[0]!), 'after a restart').to.deep.equal(exact(vectors[0]!));
      expect(readdirSync(`${file}-vectors`).every((one) => one.endsWith('.usearch'))).to.equal(true);
    });

  it('has no track of a job that was removed, and is built without it', async () => {
    const file = await openCopy('removed');
    const [before] = filesOf(file);
    for (const { number, run } of jobs.slice(0, 3)) await index.remove(number, run);
    for (const vector of vectors.slice(0, 5)) {
      const found = await idsLike(vector);
      expect(found).to.have.length(10);
      expect(found.every((n) => n >= 3 * OF_DOCUMENT)).to.equal(true);
    }
    await until('the file of the removed vectors is gone', () => !filesOf(file).includes(before!));
  });

  it('is the same after kill -9 at any time as of an index that was never killed', async function () {
    this.timeout(360_000);
    const file = at('killed.db');
    const child = fileURLToPath(new URL('./put-vectors.js', import.meta.url));
    const documents = jobs.map((job) => JSON.stringify(job));
    const kills = process.env['KILLS'] === 'all' ? 20 : 4;
    for (let kill = 0; kill < kills; kill++) {
      const killed = spawn(process.execPath, [child, file, ...documents], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(killed, 'exit');
      if (kill % 2 === 1) await once(killed.stdout, 'data');
      const wait = setTimeout(() => killed.kill('SIGKILL'), between(random, 200, 2_500));
      const [, signal] = (await ended) as [number | null, string | null];
      clearTimeout(wait);
      expect(signal).to.equal('SIGKILL');
    }
    index = openAt(file);
    await index.put(jobs);
    await hasFile(file);
    const found = new Set<number>();
    for (let job = 1; job <= jobs.length; job++)
      for (const n of await idsLike(vectors[0]!, { job, limit: OF_DOCUMENT + 1 })) {
        expect(found.has(n), `${n} is found once`).to.equal(false);
        found.add(n);
      }
    expect(found.size).to.equal(COUNT);
    expect(await recall()).to.be.at.least(0.95);
  });
});

describe('The plan of the files of vectors', () => {
  it('names the rows that no file has', () => {
    expect(gapsOf([], 0)).to.deep.equal([]);
    expect(gapsOf([], 9)).to.deep.equal([{ first: 1, last: 9 }]);
    const files = [
      { first: 1, last: 3 },
      { first: 6, last: 7 },
    ];
    expect(gapsOf(files, 9)).to.deep.equal([
      { first: 4, last: 5 },
      { first: 8, last: 9 },
    ]);
    expect(gapsOf(files, 7)).to.deep.equal([{ first: 4, last: 5 }]);
  });

  it('keeps few files, and moves a vector seldom', () => {
    let files: { readonly count: number }[] = [];
    let moved = 0;
    const steps = 400;
    for (let step = 0; step < steps; step++) {
      const from = mergedFrom(files, BUILD_AT);
      const count = files.slice(from).reduce((sum, file) => sum + file.count, BUILD_AT);
      moved += count;
      files = [...files.slice(0, from), { count }];
      expect(files.length).to.be.at.most(20);
    }
    expect(files.reduce((sum, { count }) => sum + count, 0)).to.equal(steps * BUILD_AT);
    expect(moved / (steps * BUILD_AT)).to.be.at.most(5);
  });
});
