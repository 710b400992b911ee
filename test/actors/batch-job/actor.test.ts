import { expect } from 'chai';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { ALL_JOBS, LIVE_JOBS, WAITING_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { JOB_SCHEMA } from '../../../actors/batch-job/state/snapshot.ts';
import { spoolFolder } from '../../../results/layout.ts';
import { doneWith, recordOf, type GivenJob } from './jobs.ts';
import { jobServer, OWNER } from './simulation/served-jobs.ts';

const GIVEN: GivenJob = { media: [{ frames: 25 }, { type: 'IMAGE' }], tasks: [1, 2] };

const keyOf = ({ key }: { readonly key: string }) => key;

describe('The actor of a batch job', () => {
  const server = jobServer(GIVEN);

  it('stores a job with its work before it says that it is accepted, and lists it as live', async () => {
    expect(await server.accept()).to.equal('done');
    expect((await server.store.load({ kind: BATCH_JOB, id: '7' }))?.record).to.deep.equal(recordOf(GIVEN));
    expect(await server.rows()).to.deep.equal((await server.jobs.offeredRows()).map(keyOf));
    expect([
      await server.listIndex(LIVE_JOBS),
      await server.listIndex(ALL_JOBS),
      await server.listIndex(WAITING_JOBS),
    ]).to.deep.equal([['7'], ['7'], []]);
  });

  it('leaves of a job that has ended its record and its snapshot, and neither rows nor spool', async () => {
    await server.accept();
    const spool = path.join(server.dataDir, spoolFolder('here-7', 1));
    mkdirSync(spool, { recursive: true });
    writeFileSync(path.join(spool, 'x'), '');
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE', progress: 100, hasDocument: true });
    expect(await server.rows()).to.deep.equal([]);
    expect(existsSync(spool)).to.equal(false);
    expect([await server.listIndex(LIVE_JOBS), await server.listIndex(ALL_JOBS)]).to.deep.equal([[], ['7']]);
    expect(server.jobs.ended).to.deep.equal([7]);
  });

  it('resumes after a restart where it stopped, with all answers until then, and repeats nothing', async () => {
    await server.accept();
    const answered = new Set<string>();
    for (let restarts = 0; (await server.snapshot())?.status === 'IN_PROGRESS'; restarts++) {
      expect(restarts).to.be.lessThan(50);
      const before = (await server.jobs.offeredRows()).map(keyOf);
      await server.restart();
      expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('done');
      expect((await server.jobs.offeredRows()).map(keyOf), 'work offered again').to.deep.equal(before);
      const [key] = (await server.jobs.offeredRows()).map(keyOf);
      expect(answered.has(key!), `${key} again`).to.equal(false);
      answered.add(key!);
      await server.jobs.work(GIVEN, 7, 1);
    }
    expect(await server.snapshot()).to.include({ status: 'COMPLETE' });
  });

  it('answers a repeated answer of a component as the first, and counts it once', async () => {
    await server.accept();
    const [row] = await server.jobs.offeredRows();
    const command = doneWith(GIVEN, row!);
    expect(await server.jobs.tell(7, command, 'token 1')).to.equal('done');
    const rows = await server.rows();
    expect(await server.jobs.tell(7, command, 'token 1')).to.equal('done');
    expect(await server.rows()).to.deep.equal(rows);
    await server.restart();
    expect(await server.jobs.tell(7, command, 'token 1')).to.equal('done');
    expect(await server.jobs.tell(7, command, 'another')).to.equal('NOT_OUTSTANDING');
  });

  it('lists jobs that wait by urgency, then by number, until they are admitted', async () => {
    for (const [number, priority] of [
      [1, 4],
      [2, 9],
      [3, 4],
    ] as const) {
      const record = recordOf({ ...GIVEN, number, priority });
      await server.jobs.tell(number, {
        type: 'accept',
        record,
        admitted: false,
        objectId: 'object',
        archive: 'notAsked',
      });
    }
    expect(await server.listIndex(WAITING_JOBS)).to.deep.equal(['2', '1', '3']);
    await server.jobs.tell(2, { type: 'admit' });
    expect(await server.listIndex(WAITING_JOBS)).to.deep.equal(['1', '3']);
    expect(await server.listIndex(LIVE_JOBS)).to.deep.equal(['1', '2', '3']);
  });

  it('that fails again and again ends ERROR with the reason, leaves no row, and frees its place', async () => {
    await server.accept();
    server.jobs.broken = new Error('a bug');
    for (let time = 0; time < 4; time++)
      expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    const snapshot = await server.snapshot();
    expect(snapshot).to.include({ status: 'ERROR', progress: 100, hasDocument: false });
    expect(snapshot?.issues.map(({ code, message }) => `${code}: ${message}`)).to.deep.equal([
      'OTHER: The job was ended because it failed again and again: a bug',
    ]);
    expect([await server.rows(), await server.listIndex(LIVE_JOBS), server.jobs.ended]).to.deep.equal([
      [],
      [],
      [7],
    ]);
    server.jobs.broken = undefined;
    expect(
      await server.jobs.tell(7, { type: 'resubmit', priority: 4, admitted: true, objectId: 'second' }),
    ).to.equal('done');
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE', run: 2 });
  });

  it('that ends so tells whoever works for it to stop', async () => {
    await server.accept();
    const { work } = server.store;
    const [lease] = await work.claim({ queues: ['MEDIA_INSPECTION'], max: 1, worker: 'worker' });
    server.jobs.broken = new Error('a bug');
    for (let time = 0; time < 4; time++) await server.jobs.tell(7, { type: 'resume' });
    expect(await server.snapshot()).to.include({ status: 'ERROR' });
    expect(await work.beat(lease!.token, 'worker', 0, 0)).to.equal('cancelled');
  });

  it('ends ERROR also when what makes it fail is its callback', async () => {
    await server.accept({ ...GIVEN, callback: { url: 'no address', method: 'POST' } });
    server.jobs.broken = new Error('a bug');
    for (let time = 0; time < 4; time++) await server.jobs.tell(7, { type: 'resume' });
    const snapshot = await server.snapshot();
    expect(snapshot).to.include({ status: 'ERROR', progress: 100 });
    expect(snapshot?.callback?.failures[0]).to.match(/^The callback could not be made: /);
    expect(await server.listIndex(LIVE_JOBS)).to.deep.equal([]);
  });

  it('leaves a job that a newer version stored as it is, however often it is asked', async () => {
    await server.accept();
    const actor = { kind: BATCH_JOB, id: '7' };
    const stored = (await server.store.load(actor))!;
    await server.store.commit({
      actor,
      expected: stored.version,
      owner: OWNER,
      snapshot: { ...stored.snapshot, schema: JOB_SCHEMA + 1 },
    });
    const before = [await server.store.load(actor), await server.rows(), await server.listIndex(LIVE_JOBS)];
    await server.restart();
    for (let time = 0; time < 6; time++)
      expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    expect([
      await server.store.load(actor),
      await server.rows(),
      await server.listIndex(LIVE_JOBS),
    ]).to.deep.equal(before);
  });

  it('whose snapshot makes no sense is put into quarantine, and others start', async () => {
    await server.accept();
    const record = recordOf({ ...GIVEN, number: 8 });
    await server.jobs.tell(8, {
      type: 'accept',
      record,
      admitted: true,
      objectId: 'object',
      archive: 'notAsked',
    });
    const actor = { kind: BATCH_JOB, id: '7' };
    await server.store.commit({
      actor,
      expected: 1,
      owner: OWNER,
      snapshot: { schema: JOB_SCHEMA, body: { state: { status: 'NONSENSE' }, seen: [] } },
    });
    await server.restart();
    expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('NO_SUCH_JOB');
    expect(await server.jobs.tell(8, { type: 'resume' })).to.equal('done');
    expect(await server.listIndex(LIVE_JOBS)).to.deep.equal(['8']);
  });

  it('that cannot be read is counted no more', async () => {
    await server.accept();
    await server.jobs.work(GIVEN, 7);
    const actor = { kind: BATCH_JOB, id: '7' };
    const { version, snapshot } = (await server.store.load(actor))!;
    expect((await server.store.counters('jobs/')).size).to.equal(1);
    const { state } = snapshot.body as { state: object };
    const body = { state: { ...state, run: 'first' }, seen: [] };
    await server.store.commit({ actor, expected: version, owner: OWNER, snapshot: { ...snapshot, body } });
    await server.restart();
    expect(await server.jobs.tell(7, { type: 'resume' })).to.equal('FAILED');
    const counted = [...(await server.store.counters('')).keys()];
    expect(counted.filter((name) => !name.startsWith('@usage:'))).to.deep.equal([]);
    expect(counted, 'what its run has used').to.not.deep.equal([]);
  });
});
