import { expect } from 'chai';
import Database from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { JobRecord } from '../../../actors/batch-job/state/record.ts';
import {
  JOB_SCHEMA,
  jobSnapshotSchema,
  toSnapshot,
  upcastJob,
} from '../../../actors/batch-job/state/snapshot.ts';
import { restore } from '../../../actors/batch-job/life-cycle/fold.ts';
import { migrate } from '../../../store/sqlite/migrations.ts';
import { allEntries } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { LedJob, recordOf, type GivenJob } from './jobs.ts';
import { recount, type Books, type CountedJob } from './simulation/recount.ts';
import { JobServer } from './simulation/served-jobs.ts';

/** What the first version stored of a job; it knew neither notices nor archives nor removal. */
function firstSnapshot(job: LedJob): Record<string, unknown> {
  const {
    checkArchive: _,
    pastOutput: __,
    documentHash: ___,
    callback: ____,
    outputUri: _______,
    timing: ________,
    unnumbered: _________,
    ...later
  } = toSnapshot(job.record, job.state!);
  const { archive: _____, removed: ______, ...first } = later;
  return first;
}

const GIVEN: GivenJob = { media: [{ type: 'IMAGE' }, { frames: 25 }] };
const detecting = (given: GivenJob) => LedJob.accepted({ ...GIVEN, ...given }).doAll('PREPARE');
const failing = (given: GivenJob) => {
  const job = detecting(given);
  return job.failed(job.row('DETECT'));
};
const OLD: readonly ((given: GivenJob) => LedJob)[] = [
  (given) => detecting(given).doAll(),
  (given) => LedJob.accepted({ ...GIVEN, ...given }, { admitted: false }),
  (given) => detecting(given),
  (given) => failing(given).doAll(),
  (given) => detecting(given).doAll(),
  (given) => {
    const job = detecting(given);
    job.tell({ type: 'cancel' });
    return job.dropAll().doAll();
  },
];

describe('A snapshot of the first version', () => {
  for (const [number, made] of OLD.entries())
    it(`is read as a job that has neither notices nor archive: ${made({}).status} (${number})`, () => {
      const job = made({});
      const snapshot = jobSnapshotSchema.parse(upcastJob(1, firstSnapshot(job)));
      expect(snapshot).to.deep.equal({
        ...toSnapshot(job.record, job.state!),
        documentHash: null,
        checkArchive: false,
        pastOutput: null,
        callback: null,
        archive: null,
        removed: false,
        outputUri: null,
        timing: [],
        // Its folders are named after the job alone.
        unnumbered: 1,
      });
      const { media: _, ...restored } = restore(job.record, snapshot, []);
      expect(restored).to.include({ status: job.status, removed: false });
    });

  it('of this version is left as it is', () => {
    const snapshot = toSnapshot(recordOf(), detecting({}).state!);
    expect(upcastJob(JOB_SCHEMA, snapshot)).to.equal(snapshot);
  });
});

describe('A database of the first version', () => {
  const place = temporaryFolder();
  let folders = 0;
  let server: JobServer;
  let old: readonly LedJob[];
  beforeEach(() => {
    const dataDir = place(`data-${++folders}`);
    old = OLD.map((made, n) => {
      const job = made({ number: n + 1, pipeline: n % 2 === 0 ? 'FACE' : 'TEXT', priority: n });
      return job;
    });
    writeFirst(dataDir, old);
    server = new JobServer(GIVEN);
    server.open(dataDir);
  });
  afterEach(() => server.close());

  const NAMES = [
    ...['batch-jobs', 'live-jobs', 'waiting-jobs', 'removed-jobs', 'job-ms/FACE', 'job-ms/TEXT'],
    ...['jobs-of-pipeline/FACE', 'jobs-of-pipeline/TEXT'],
    ...jobSnapshotSchema.shape.status.options.map((status) => `jobs-of-status/${status}`),
  ];
  const stored = async (names = NAMES): Promise<Books> => {
    const indexes: Record<string, Record<string, number>> = {};
    for (const name of names)
      for await (const { id, score } of allEntries(server.store, name)) (indexes[name] ??= {})[id] = score;
    return { indexes, counters: Object.fromEntries(await server.store.counters('')) };
  };
  const expected = async (names = NAMES): Promise<Books> => {
    const jobs: CountedJob[] = [];
    for (const { record } of old) {
      const actor = await server.store.load({ kind: BATCH_JOB, id: String(record.number) });
      if (actor === undefined) continue;
      const { state } = actor.snapshot.body as { state: unknown };
      const snapshot = jobSnapshotSchema.parse(upcastJob(actor.snapshot.schema, state));
      jobs.push({ record: actor.record as JobRecord, state: snapshot });
    }
    const { indexes, counters } = recount(jobs);
    return {
      indexes: Object.fromEntries(Object.entries(indexes).filter(([name]) => names.includes(name))),
      counters,
    };
  };

  it('is counted and listed as if its jobs had been made by this version', async () => {
    const books = await stored();
    expect(books).to.deep.equal(await expected());
    expect(books.counters).to.include({
      'jobs/FACE/COMPLETE': 2,
      'jobs/TEXT/ERROR': 1,
      'jobs/TEXT/INITIALIZED': 1,
    });
    expect(books.counters['job-ms/FACE']).to.be.greaterThan(0);
  });

  it('lists its ended jobs by their end, so that retention finds them', async () => {
    expect(await stored(['ended-jobs'])).to.deep.equal(await expected(['ended-jobs']));
  });

  it('is brought up to date though some of its jobs cannot be read', async () => {
    const dataDir = place(`data-${++folders}`);
    writeFirst(dataDir, old);
    const database = new Database(path.join(dataDir, 'troupe.db'));
    for (const [n, body] of ['no JSON', '{}', '[]', 'null', '{"state":{"status":"COMPLETE"}}'].entries()) {
      const id = String(100 + n);
      database
        .prepare('insert into actors values (?, ?, 1, ?, 1, 1, ?)')
        .run(BATCH_JOB, id, 'here', n === 4 ? '{"state":{}}' : body);
      database.prepare('insert into records values (?, ?, ?)').run(BATCH_JOB, id, body);
    }
    database.close();
    const whole = await stored();
    await server.close();
    server.open(dataDir);
    expect(await stored()).to.deep.equal(whole);
  });

  it('stays counted when its jobs go on, are run again and are removed', async () => {
    expect(await server.jobs.tell(3, { type: 'resume' })).to.equal('done');
    await server.jobs.work(old[2]!.given, 3);
    expect(await server.snapshot(3)).to.include({ status: 'COMPLETE', callback: null, archive: null });
    await server.jobs.tell(2, { type: 'admit' });
    await server.jobs.tell(2, { type: 'cancel' });
    await server.jobs.tell(1, { type: 'resubmit', priority: 9, admitted: false, objectId: 'second' });
    await server.jobs.tell(5, { type: 'remove' });
    await server.jobs.tell(4, { type: 'remove' });
    while ((await server.store.load({ kind: BATCH_JOB, id: '4' })) !== undefined)
      await server.jobs.clock.advance(100);
    await server.jobs.tell(5, { type: 'forget' });
    expect(await stored()).to.deep.equal(await expected());
    expect((await stored()).counters).to.not.have.property('jobs/TEXT/ERROR');
  });
});

/** Jobs as the first version stored them: in tables that its one step had made. */
function writeFirst(dataDir: string, jobs: readonly LedJob[]): void {
  mkdirSync(dataDir, { recursive: true });
  const database = new Database(path.join(dataDir, 'troupe.db'));
  firstStep(database);
  const insert = (table: string, ...values: readonly (string | number)[]) =>
    database.prepare(`insert into ${table} values (${values.map(() => '?').join(', ')})`).run(...values);
  for (const job of jobs) {
    const id = String(job.record.number);
    const body = { state: firstSnapshot(job), seen: [] };
    insert('actors', BATCH_JOB, id, 1, 'here', 1, 1, JSON.stringify(body));
    insert('records', BATCH_JOB, id, JSON.stringify(job.record));
    for (const [key, row] of job.rows) insert('actor_rows', BATCH_JOB, id, key, JSON.stringify(row));
    const { indexes } = recount([{ record: job.record, state: job.state! }]);
    for (const name of ['batch-jobs', 'live-jobs', 'waiting-jobs'])
      for (const score of Object.values(indexes[name] ?? {})) insert('entries', name, score, BATCH_JOB, id);
  }
  database.close();
}

/** The migration, broken off when its second step begins. */
function firstStep(database: Database.Database): void {
  const execute = database.exec.bind(database);
  let steps = 0;
  database.exec = (text) => {
    if (++steps > 1) throw new Error('broken off');
    return execute(text);
  };
  expect(() => migrate(database)).to.throw('broken off');
  expect(database.pragma('user_version', { simple: true })).to.equal(1);
}
