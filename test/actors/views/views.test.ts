/**
 * The cost of lists, statistics and retention depends on the size of the answer, not on the number of stored
 * jobs.
 */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { ALL_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { Retention } from '../../../actors/upkeep/retention.ts';
import {
  listJobs,
  type JobCursor,
  type JobListQuery,
  type JobPage,
} from '../../../actors/views/jobs/job-list.ts';
import { JobViews } from '../../../actors/views/jobs/jobs.ts';
import { jobStatistics } from '../../../actors/views/statistics.ts';
import { WaitingReasons } from '../../../actors/views/jobs/waiting-reasons.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { countCalls, storeJob, type GivenJob } from './ended-jobs.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('With many jobs that have ended', () => {
  const path = temporaryFolder();
  let store: Store;
  let opened = 0;
  beforeEach(() => {
    store = new SqliteStore(path(`${opened++}.db`));
  });
  afterEach(() => store.close());

  const storeJobs = (jobs: readonly GivenJob[]) => Promise.all(jobs.map((job) => storeJob(store, job)));
  const many = (count: number, job: (n: number) => Omit<GivenJob, 'number'>, first = 1) =>
    storeJobs(Array.from({ length: count }, (_, n) => ({ number: first + n, ...job(n) })));
  const viewsOf = (of: Store) => {
    const waiting = new WaitingReasons({
      store: of,
      clock: new VirtualClock(),
      nameOf: (queue) => queue,
      serviceOf: () => undefined,
      pauseReason: () => undefined,
      idleReason: () => undefined,
      drainingFor: () => '',
    });
    return new JobViews(of, '/data', waiting, () => undefined, new VirtualClock());
  };
  const list = (query: Partial<JobListQuery>, of = store) =>
    listJobs(of, viewsOf(of), {
      limit: 50,
      before: undefined,
      statuses: undefined,
      pipelineName: undefined,
      externalId: undefined,
      labels: undefined,
      terminal: undefined,
      medium: undefined,
      failure: undefined,
      started: undefined,
      ended: undefined,
      sight: 'ALL',
      ...query,
    });
  const byNumber = (number: number): JobCursor => ({ score: undefined, number });
  /** All pages, with the number of jobs loaded for each. */
  const listAll = async (query: Partial<JobListQuery>) => {
    const found: number[] = [];
    const loads: number[] = [];
    for (let before: JobCursor | null | undefined = query.before; before !== null;) {
      const { store: counted, calls } = countCalls(store);
      const page: JobPage = await list({ ...query, before }, counted);
      found.push(...numbers(page.jobs));
      loads.push(calls['load'] ?? 0);
      before = page.next;
    }
    return { found, loads };
  };
  const numbers = (jobs: readonly { readonly jobId: string }[]) =>
    jobs.map(({ jobId }) => Number(jobId.slice(5)));

  it('statistics read the counters and the ends of an index: ten times the jobs cost the same', async () => {
    const costs: Record<string, number>[] = [];
    for (const [first, count] of [
      [1, 150],
      [151, 1_350],
    ] as const) {
      await many(
        count,
        (n) => ({ pipeline: `P${n % 3}`, ms: first + n, status: n % 4 === 0 ? 'ERROR' : 'COMPLETE' }),
        first,
      );
      const counted = countCalls(store);
      const { totalJobs, aggregatePipelineStatsMap } = await jobStatistics(
        counted.store,
        new VirtualClock(),
        'ALL',
      );
      expect(totalJobs).to.equal(first + count - 1);
      expect(aggregatePipelineStatsMap['P1']).to.include({ count: totalJobs / 3, minTime: 2 });
      costs.push(counted.calls);
    }
    expect(costs[0]).to.deep.equal({ counters: 2, list: 6, entries: 6 });
    expect(costs[1]).to.deep.equal(costs[0]);
  });

  it('statistics take min, max and total of COMPLETE jobs alone', async () => {
    await storeJobs([
      { number: 1, ms: 5 },
      { number: 2, ms: 70 },
      { number: 3, ms: 900, status: 'COMPLETE_WITH_WARNINGS' },
      { number: 4, ms: 1, status: 'CANCELLED', pipeline: 'B' },
    ]);
    const { elapsedTimeMs: _, ...statistics } = await jobStatistics(store, new VirtualClock(), 'ALL');
    expect(statistics).to.deep.equal({
      aggregatePipelineStatsMap: {
        'A PIPELINE': {
          count: 3,
          maxTime: 70,
          minTime: 5,
          totalTime: 75,
          states: { COMPLETE: 2, COMPLETE_WITH_WARNINGS: 1 },
          validCount: 2,
        },
        B: { count: 1, maxTime: 0, minTime: 0, totalTime: 0, states: { CANCELLED: 1 }, validCount: 0 },
      },
      jobTypes: 2,
      totalJobs: 4,
    });
  });

  it('a page of the list reads no more jobs than it shows', async () => {
    await many(2_500, () => ({}));
    const { store: counted, calls } = countCalls(store);
    const { jobs, next } = await list({ limit: 10, before: byNumber(2_000) }, counted);
    expect([numbers(jobs)[0], jobs.length, next]).to.deep.equal([1_999, 10, byNumber(1_990)]);
    expect([calls['load'], calls['entries']]).to.deep.equal([10, 11]);
  });

  it('a filter with few matches looks at 1,000 jobs a page, and finds everything by its cursors', async () => {
    await many(2_010, (n) => ({ status: n === 4 || n === 1_700 ? 'CANCELLED' : 'COMPLETE' }));
    const found: number[] = [];
    let before: JobCursor | undefined;
    for (let pages = 1; ; pages++) {
      const { store: counted, calls } = countCalls(store);
      const page = await list({ statuses: ['CANCELLED'], pipelineName: 'A PIPELINE', before }, counted);
      expect(calls['load']).to.be.at.most(1_000);
      found.push(...numbers(page.jobs));
      if (page.next === null) {
        expect(pages).to.equal(3);
        break;
      }
      before = page.next;
    }
    expect(found).to.deep.equal([1_701, 5]);
  });

  it('several statuses are listed as one, and nothing else is read for them', async () => {
    const statuses = ['COMPLETE', 'ERROR', 'CANCELLED'] as const;
    await many(300, (n) => ({ status: statuses[n % 3]! }));
    const { found, loads } = await listAll({ statuses: ['ERROR', 'CANCELLED', 'UNKNOWN'], limit: 60 });
    expect(found).to.deep.equal(Array.from({ length: 300 }, (_, n) => 300 - n).filter((n) => n % 3 !== 1));
    expect(loads).to.deep.equal([60, 60, 60, 20]);
  });

  it('a start or end time leads to its jobs, however many there are before and after it', async () => {
    await many(1_000, (n) => ({ endedAt: 1_000 * (n + 1), ms: 500 }));
    const ended = await listAll({ ended: { from: 10_000, to: 15_000 }, limit: 2 });
    expect(ended.found).to.deep.equal([14, 13, 12, 11, 10]);
    expect(ended.loads).to.deep.equal([2, 2, 1]);
    const started = await listAll({ started: { from: undefined, to: 2_500 } });
    expect([started.found, started.loads]).to.deep.equal([[2, 1], [2]]);
    const both = await listAll({
      started: { from: 9_500, to: undefined },
      ended: { from: undefined, to: 12_000 },
    });
    expect(both.found).to.deep.equal([11, 10]);
    expect(Math.max(...both.loads)).to.be.at.most(1_000);
  });

  it('jobs of the same moment are listed once each, from page to page', async () => {
    await many(25, () => ({}));
    const { found } = await listAll({ ended: { from: 1_000, to: 1_001 }, limit: 4 });
    expect(found.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 25 }, (_, n) => n + 1));
    expect((await listAll({ ended: { from: 1_001, to: undefined } })).found).to.deep.equal([]);
  });

  it('an external id leads to its jobs alone', async () => {
    await many(2_500, (n) => (n % 1_000 === 7 ? { externalId: 'case 7' } : {}));
    const { found, loads } = await listAll({ externalId: 'case 7' });
    expect([found, loads]).to.deep.equal([[2_008, 1_008, 8], [3]]);
  });

  it('jobs are found by a part of a media URI, as shown or decoded, at most 1,000 a page', async () => {
    await many(2_010, (n) =>
      n === 3 || n === 2_001 ? { uri: 'http://anna:secret@host/Frau%20M%C3%BCller.mp4' } : {},
    );
    for (const medium of ['frau%20m', 'frau müller', 'HOST/'])
      expect((await listAll({ medium })).found, medium).to.deep.equal([2_002, 4]);
    const { found, loads } = await listAll({ medium: 'secret' });
    expect([found, loads]).to.deep.equal([[], [1_000, 1_000, 10]]);
  });

  describe('of an owner', () => {
    const RED = { user: 'anna', group: 'red' };
    const BLUE = { user: 'anna', group: 'blue' };
    const BOB = { user: 'bob', group: 'red' };
    const OTHER = { user: 'carl/2', group: 'green' };
    /** Of each 100 jobs, the first is Anna's in the group red, the second in blue, and the third is Bob's. */
    const ownerOf = (n: number) => [RED, BLUE, BOB][n % 100] ?? OTHER;

    it('are listed from indexes of their own, with any filter, and nothing else is read', async () => {
      await many(1_000, (n) => ({ owner: ownerOf(n), status: n % 200 < 100 ? 'ERROR' : 'COMPLETE' }));
      const own = { user: 'anna' };
      const { found, loads } = await listAll({ sight: own, limit: 8 });
      expect([found.length, found[0], found.at(-1), loads]).to.deep.equal([20, 902, 1, [8, 8, 4]]);
      const failed = await listAll({ sight: own, statuses: ['ERROR'] });
      expect([failed.found.length, failed.loads]).to.deep.equal([10, [20]]);
      const ended = await listAll({ sight: own, ended: { from: 1_000, to: 1_001 }, limit: 7 });
      expect(ended.found.toSorted((a, b) => b - a)).to.deep.equal(found);
      expect(ended.loads).to.deep.equal([7, 7, 6]);
    });

    it('and of the group are listed once each', async () => {
      await many(1_000, (n) => ({ owner: ownerOf(n) }));
      const { found, loads } = await listAll({ sight: RED, limit: 10 });
      expect([found.length, new Set(found).size, loads]).to.deep.equal([30, 30, [10, 10, 10]]);
      const { found: none } = await listAll({ sight: {} });
      expect(none).to.deep.equal([]);
    });

    it('are counted alone, a job of user and group once', async () => {
      await many(1_000, (n) => ({ owner: ownerOf(n), ms: n + 1 }));
      const counted = countCalls(store);
      const statistics = await jobStatistics(counted.store, new VirtualClock(), RED);
      const { 'A PIPELINE': one } = statistics.aggregatePipelineStatsMap;
      expect([statistics.totalJobs, one?.minTime, one?.maxTime]).to.deep.equal([30, 1, 903]);
      expect(one?.totalTime).to.equal(10 * 3 * 452);
      expect(counted.calls['entries']).to.equal(4);
      const own = await jobStatistics(store, new VirtualClock(), { user: 'carl/2' });
      expect(own.totalJobs).to.equal(970);
      expect((await jobStatistics(store, new VirtualClock(), {})).totalJobs).to.equal(0);
    });
  });

  it('a page is short where requests were very large', async () => {
    await many(5, () => ({ media: 10_000 }));
    const first = await list({});
    expect([numbers(first.jobs), first.next]).to.deep.equal([[5, 4], byNumber(4)]);
    expect([first.jobs[0]?.mediaCount, first.jobs[0]?.mediaUris.length]).to.deep.equal([10_000, 20]);
    expect(numbers((await list({ before: first.next! })).jobs)).to.deep.equal([3, 2]);
  });

  it('a job that cannot be read does not keep the others from being listed', async () => {
    await many(3, () => ({}));
    await store.commit({
      actor: { kind: BATCH_JOB, id: '4' },
      expected: 0,
      owner: { server: 'test', epoch: 1 },
      snapshot: { schema: 99, body: { state: { of: 'a newer version' } } },
      record: {},
      index: { [ALL_JOBS]: 4 },
    });
    expect(numbers((await list({})).jobs)).to.deep.equal([3, 2, 1]);
  });

  /** Makes the stored snapshots of two jobs invalid. */
  const damage = async () => {
    await store.close();
    const file = path(`${opened - 1}.db`);
    const database = new Database(file);
    for (const [id, text] of [
      ['1', 'no JSON'],
      ['2', 'null'],
    ])
      database.prepare('update actors set snapshot = ? where id = ?').run(text, id);
    database.close();
    store = new SqliteStore(file);
  };

  it('jobs whose stored text is damaged do not keep the others from being listed', async () => {
    await many(4, () => ({}));
    await damage();
    expect(numbers((await list({})).jobs)).to.deep.equal([4, 3]);
  });

  describe('retention', () => {
    const retention = (keepMs: number, removed: number[], of = store) =>
      new Retention({
        store: of,
        clock: new VirtualClock(10_000),
        logger: silent,
        keepMs,
        streams: { remove: () => Promise.resolve('unknown') },
        jobService: {
          async remove(number) {
            if (number === 13) throw new Error('It fails.');
            removed.push(number);
            const actor = { kind: BATCH_JOB, id: String(number) };
            const owner = { server: 'test', epoch: 1 };
            await store.commit({ actor, expected: 1, owner, snapshot: null });
            return 'removed';
          },
        },
      });

    it('removes the oldest first, a bounded number at a time, and stops at what is young enough', async () => {
      await many(700, (n) => ({ endedAt: n }));
      await many(3, () => ({ endedAt: 9_500 }), 701);
      const removed: number[] = [];
      const { store: counted, calls } = countCalls(store);
      const look = retention(1_000, removed, counted);
      expect(await look.look()).to.equal(499);
      expect([removed[0], removed.at(-1), calls['entries']]).to.deep.equal([1, 500, 500]);
      expect(await look.look()).to.equal(200);
      // Job 13 could not be deleted. It is retried and does not delay the others.
      expect([await look.look(), removed.length, new Set(removed).size]).to.deep.equal([0, 699, 699]);
    });

    it('keeps a job that still owes a callback, however many of them there are', async () => {
      await many(600, () => ({ endedAt: 1, owes: 1 }));
      await many(2, () => ({ endedAt: 2 }), 601);
      const removed: number[] = [];
      const look = retention(1_000, removed);
      expect(await look.look()).to.equal(0);
      expect(await look.look()).to.equal(2);
      expect(removed).to.deep.equal([601, 602]);
    });

    it('is not held up by jobs whose stored text is damaged', async () => {
      await many(4, () => ({ endedAt: 1 }));
      await damage();
      const removed: number[] = [];
      expect(await retention(1_000, removed).look()).to.equal(2);
      expect(removed).to.deep.equal([3, 4]);
    });

    it('does nothing without RETENTION_DAYS', async () => {
      await many(2, () => ({ endedAt: 1 }));
      const { store: counted, calls } = countCalls(store);
      expect([await retention(0, [], counted).look(), calls]).to.deep.equal([0, {}]);
    });
  });
});
