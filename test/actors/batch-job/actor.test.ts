import { expect } from 'chai';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  ALL_JOBS,
  BATCH_JOB,
  batchJobKind,
  LIVE_JOBS,
  WAITING_JOBS,
  type JobParts,
} from '../../../actors/batch-job/actor.ts';
import type { JobCommand, JobReply } from '../../../actors/batch-job/commands.ts';
import { JOB_SCHEMA, jobSnapshotSchema, type JobSnapshot } from '../../../actors/batch-job/snapshot.ts';
import type { SubJobRow } from '../../../actors/batch-job/state.ts';
import { VirtualClock } from '../../../actors/runtime/clock.ts';
import { PlainTree } from '../../../actors/runtime/plain-tree.ts';
import { DEFAULT_INTENSITY } from '../../../actors/runtime/supervision.ts';
import { ActorSystem, type Family } from '../../../actors/runtime/system.ts';
import { spoolFolder } from '../../../output/layout.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { allRows, type Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { doneWith, recordOf, settingsOf, type GivenJob } from './jobs.ts';

const OWNER = { server: 'here', epoch: 1 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const GIVEN: GivenJob = { media: [{ frames: 25 }, { type: 'IMAGE' }], tasks: [1, 2] };

/** A server of nothing but job actors: who offers and who is told of the end is noted. */
class Jobs {
  readonly clock = new VirtualClock(1_000);
  readonly family: Family<JobCommand, JobReply>;
  readonly system: ActorSystem;
  readonly offered = new Map<string, SubJobRow>();
  readonly cancelled: string[] = [];
  readonly ended: number[] = [];
  broken: Error | undefined;

  constructor(store: Store, dataDir: string) {
    this.system = new ActorSystem(new PlainTree(), this.clock);
    const parts: JobParts = {
      store,
      owner: OWNER,
      settings: settingsOf({ dataDir }),
      logger: silent,
      mailbox: 100,
      intensity: DEFAULT_INTENSITY,
      idleMs: 60_000,
      clock: this.clock,
      offer: (_, __, rows) => {
        if (this.broken !== undefined) throw this.broken;
        for (const row of rows) this.offered.set(row.key, row);
      },
      cancelWork: (_, rows) => this.cancelled.push(...rows.map(({ key }) => key)),
      ended: (number) => this.ended.push(number),
    };
    this.family = this.system.register(batchJobKind(parts));
  }

  /** The reply, or why there is none; time passes meanwhile. */
  async tell(number: number, command: JobCommand, envelopeId?: string): Promise<string> {
    const seen: string[] = [];
    const id = envelopeId === undefined ? {} : { envelopeId };
    const asked = this.family.ask(String(number), command, { deadlineMs: 1e12, ...id }).then(
      (reply) => seen.push(reply.kind === 'done' ? 'done' : reply.reason),
      (error: unknown) => seen.push((error as { reason: string }).reason),
    );
    while (seen.length === 0) await this.clock.advance(100);
    await asked;
    return seen[0]!;
  }

  /** Answers up to `max` of the sub-jobs that were offered. */
  async work(given: GivenJob, number: number, max = Infinity): Promise<void> {
    for (let answered = 0; answered < max; answered++) {
      const [row] = this.offered.values();
      if (row === undefined) return;
      this.offered.delete(row.key);
      expect(await this.tell(number, doneWith(given, row))).to.equal('done');
    }
  }
}

describe('The actor of a batch job', () => {
  const place = temporaryFolder();
  let folders = 0;
  let dataDir: string;
  let store: SqliteStore;
  let jobs: Jobs;
  beforeEach(() => {
    dataDir = place(`data-${++folders}`);
    store = new SqliteStore(path.join(dataDir, 'troupe.db'));
    jobs = new Jobs(store, dataDir);
  });
  afterEach(() => store.close());

  const restart = async () => {
    await store.close();
    store = new SqliteStore(path.join(dataDir, 'troupe.db'));
    jobs = new Jobs(store, dataDir);
  };
  const accept = (given: GivenJob = GIVEN, admitted = true) => {
    const record = recordOf(given);
    return jobs.tell(record.number, { type: 'accept', record, admitted, objectId: 'object' });
  };
  const snapshotOf = async (number = 7): Promise<JobSnapshot | undefined> => {
    const stored = await store.load({ kind: BATCH_JOB, id: String(number) });
    return stored === undefined
      ? undefined
      : jobSnapshotSchema.parse((stored.snapshot.body as { state: unknown }).state);
  };
  const rowsOf = async () => {
    const keys: string[] = [];
    for await (const { key } of allRows(store, { kind: BATCH_JOB, id: '7' })) keys.push(key);
    return keys;
  };
  const listed = async (index: string) => (await store.list(index, { limit: 10 })).map(({ id }) => id);

  it('stores a job with its work before it says that it is accepted, and lists it as live', async () => {
    expect(await accept()).to.equal('done');
    expect((await store.load({ kind: BATCH_JOB, id: '7' }))?.record).to.deep.equal(recordOf(GIVEN));
    expect(await rowsOf()).to.deep.equal([...jobs.offered.keys()]);
    expect([await listed(LIVE_JOBS), await listed(ALL_JOBS), await listed(WAITING_JOBS)]).to.deep.equal([
      ['7'],
      ['7'],
      [],
    ]);
  });

  it('leaves of a job that has ended its record and its snapshot, and neither rows nor spool', async () => {
    await accept();
    const spool = spoolFolder(dataDir, 'here-7', 1);
    mkdirSync(spool, { recursive: true });
    writeFileSync(path.join(spool, 'x'), '');
    await jobs.work(GIVEN, 7);
    expect(await snapshotOf()).to.include({ status: 'COMPLETE', progress: 100, hasDocument: true });
    expect(await rowsOf()).to.deep.equal([]);
    expect(existsSync(spool)).to.equal(false);
    expect([await listed(LIVE_JOBS), await listed(ALL_JOBS)]).to.deep.equal([[], ['7']]);
    expect(jobs.ended).to.deep.equal([7]);
  });

  it('goes on after a restart where it stopped, whatever was answered by then, and runs nothing twice', async () => {
    await accept();
    const answered = new Set<string>();
    for (let restarts = 0; (await snapshotOf())?.status === 'IN_PROGRESS'; restarts++) {
      expect(restarts).to.be.lessThan(50);
      const before = new Set(jobs.offered.keys());
      await restart();
      expect(await jobs.tell(7, { type: 'resume' })).to.equal('done');
      expect(new Set(jobs.offered.keys()), 'work offered again').to.deep.equal(before);
      const [key] = jobs.offered.keys();
      expect(answered.has(key!), `${key} again`).to.equal(false);
      answered.add(key!);
      await jobs.work(GIVEN, 7, 1);
    }
    expect(await snapshotOf()).to.include({ status: 'COMPLETE' });
  });

  it('answers a repeated answer of a component as the first, and counts it once', async () => {
    await accept();
    const [row] = jobs.offered.values();
    const command = doneWith(GIVEN, row!);
    expect(await jobs.tell(7, command, 'token 1')).to.equal('done');
    const rows = await rowsOf();
    expect(await jobs.tell(7, command, 'token 1')).to.equal('done');
    expect(await rowsOf()).to.deep.equal(rows);
    await restart();
    expect(await jobs.tell(7, command, 'token 1')).to.equal('done');
    expect(await jobs.tell(7, command, 'another')).to.equal('NOT_OUTSTANDING');
  });

  it('lists jobs that wait by urgency, then by number, until they are admitted', async () => {
    for (const [number, priority] of [
      [1, 4],
      [2, 9],
      [3, 4],
    ] as const) {
      const record = recordOf({ ...GIVEN, number, priority });
      await jobs.tell(number, { type: 'accept', record, admitted: false, objectId: 'object' });
    }
    expect(await listed(WAITING_JOBS)).to.deep.equal(['2', '1', '3']);
    await jobs.tell(2, { type: 'admit' });
    expect(await listed(WAITING_JOBS)).to.deep.equal(['1', '3']);
    expect(await listed(LIVE_JOBS)).to.deep.equal(['1', '2', '3']);
  });

  it('that fails again and again ends ERROR with the reason, leaves no row, and frees its place', async () => {
    await accept();
    jobs.broken = new Error('a bug');
    for (let time = 0; time < 4; time++) expect(await jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    const snapshot = await snapshotOf();
    expect(snapshot).to.include({ status: 'ERROR', progress: 100, hasDocument: false });
    expect(snapshot?.issues.map(({ code, message }) => `${code}: ${message}`)).to.deep.equal([
      'OTHER: The job was ended because it failed again and again: a bug',
    ]);
    expect([await rowsOf(), await listed(LIVE_JOBS), jobs.ended]).to.deep.equal([[], [], [7]]);
    jobs.broken = undefined;
    jobs.offered.clear();
    expect(
      await jobs.tell(7, { type: 'resubmit', priority: 4, admitted: true, objectId: 'second' }),
    ).to.equal('done');
    await jobs.work(GIVEN, 7);
    expect(await snapshotOf()).to.include({ status: 'COMPLETE', run: 2 });
  });

  it('leaves a job that a newer version stored as it is, however often it is asked', async () => {
    await accept();
    const actor = { kind: BATCH_JOB, id: '7' };
    const stored = (await store.load(actor))!;
    await store.commit({
      actor,
      expected: stored.version,
      owner: OWNER,
      snapshot: { ...stored.snapshot, schema: JOB_SCHEMA + 1 },
    });
    const before = [await store.load(actor), await rowsOf(), await listed(LIVE_JOBS)];
    await restart();
    for (let time = 0; time < 6; time++) expect(await jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    expect([await store.load(actor), await rowsOf(), await listed(LIVE_JOBS)]).to.deep.equal(before);
  });

  it('whose snapshot makes no sense is put into quarantine, and others start', async () => {
    await accept();
    const record = recordOf({ ...GIVEN, number: 8 });
    await jobs.tell(8, { type: 'accept', record, admitted: true, objectId: 'object' });
    const actor = { kind: BATCH_JOB, id: '7' };
    await store.commit({
      actor,
      expected: 1,
      owner: OWNER,
      snapshot: { schema: JOB_SCHEMA, body: { state: { status: 'NONSENSE' }, seen: [] } },
    });
    await restart();
    expect(await jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    expect(await jobs.tell(7, { type: 'resume' })).to.equal('NO_SUCH_JOB');
    expect(await jobs.tell(8, { type: 'resume' })).to.equal('done');
    expect(await listed(LIVE_JOBS)).to.deep.equal(['8']);
  });
});
