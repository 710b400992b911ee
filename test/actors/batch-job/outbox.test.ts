import { expect } from 'chai';
import type { JobCommand } from '../../../actors/batch-job/state/commands.ts';
import { StoreAway, type Store } from '../../../store/store.ts';
import { around } from '../../store/folder.ts';
import { doneWith, MATCH, noticeFailed, PAST_OUTPUT, recordOf, type GivenJob } from './jobs.ts';
import { jobServer, ServedJobs } from './simulation/served-jobs.ts';

const CALLER = 'http://caller.example';
const ARCHIVE = 'http://archive.example';
const GIVEN: GivenJob = {
  media: [{ type: 'IMAGE', archiveUrl: ARCHIVE }, { type: 'IMAGE' }, { type: 'IMAGE', archiveUrl: ARCHIVE }],
  callback: { url: `${CALLER}/done`, method: 'GET' },
};
const ALL = ['here-7.1.archive.0', 'here-7.1.archive.2', 'here-7.1.callback'];
const noticeSent = (id: string): JobCommand => ({ type: 'noticeSent', id });

describe('The actor of a batch job that owes notices', () => {
  const server = jobServer(GIVEN);
  const ids = async () => (await server.outbox()).map(({ id }) => id);
  const endJob = async () => {
    await server.accept();
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE' });
  };

  it('has them in the outbox when its end is stored, and wakes those who send them', async () => {
    await server.accept();
    expect(await ids()).to.deep.equal([]);
    await server.jobs.work(GIVEN, 7);
    expect(await ids()).to.deep.equal(ALL);
    expect(server.jobs.woken).to.deep.equal([CALLER, ARCHIVE]);
    const [entry] = await server.outbox();
    expect(entry?.actor).to.deep.equal({ kind: 'batch-job', id: '7' });
    expect(await server.rows()).to.deep.equal(['archive/000000', 'archive/000001']);
  });

  it('are sent if nobody heard that its end was stored, once the last answer arrives again', async () => {
    let isUnclear = false;
    const commit: Store['commit'] = async (change) => {
      const version = await server.store.commit(change);
      isUnclear = (change.outbox?.put ?? []).length > 0;
      if (isUnclear) throw new StoreAway('The time is over.');
      return version;
    };
    const jobs = new ServedJobs(around<Store>(server.store, { commit }), server.dataDir);
    await jobs.tell(7, {
      ...{ type: 'accept', record: recordOf(GIVEN), admitted: true, objectId: 'one', archive: 'notAsked' },
    });
    for (let n = 0; !isUnclear; n++) {
      const [row] = await jobs.offeredRows();
      const answer = () => jobs.tell(7, doneWith(GIVEN, row!), `token ${n}`);
      const heard = await answer();
      expect(heard).to.equal(isUnclear ? 'FAILED' : 'done');
      if (!isUnclear) continue;
      expect(jobs.woken).to.deep.equal([]);
      expect(await answer()).to.equal('done');
    }
    expect(jobs.woken).to.deep.equal([CALLER, ARCHIVE]);
    expect(await ids()).to.deep.equal(ALL);
    expect(jobs.ended).to.deep.equal([7]);
  });

  it('tells its end once when its last answer comes to two servers at a time', async () => {
    await server.accept();
    const shared = around<Store>(server.store, { shared: true });
    const [one, other] = ['one', 'other'].map((name) => new ServedJobs(shared, server.dataDir, name));
    for (let isLast = false, n = 0; !isLast; n++) {
      const [row] = await one!.offeredRows();
      isLast = row!.kind === 'DOCUMENT';
      await other!.tell(7, { type: 'resume' });
      expect(await one!.tell(7, doneWith(GIVEN, row!), `token ${n}`)).to.equal('done');
      if (isLast) expect(await other!.tell(7, doneWith(GIVEN, row!), `token ${n}`)).to.equal('done');
    }
    expect([...one!.ended, ...other!.ended]).to.deep.equal([7]);
  });

  it('takes each out of the outbox with its outcome, over restarts', async () => {
    await endJob();
    const [first] = await server.outbox();
    await server.restart();
    expect(await server.jobs.tell(7, noticeFailed(ALL[0]!, 'no', { ...first!, due: 5_000_000 }))).to.equal(
      'done',
    );
    expect((await server.outbox()).find(({ id }) => id === ALL[0])?.due).to.equal(5_000_000);
    await server.restart();
    expect((await server.snapshot())?.archive).to.include({
      pending: 2,
      attempts: 1,
      nextAttempt: 5_000_000,
    });
    expect(await server.jobs.tell(7, noticeSent(ALL[2]!))).to.equal('done');
    expect(await server.jobs.tell(7, noticeFailed(ALL[1]!, 'no'))).to.equal('done');
    await server.restart();
    expect(await server.jobs.tell(7, noticeSent(ALL[0]!))).to.equal('done');
    expect(await ids()).to.deep.equal([]);
    expect(await server.snapshot()).to.deep.nested.include({
      'callback.pending': 0,
      'archive.pending': 0,
      'archive.failures': ['no'],
    });
  });

  it('answers a repeated report as the first, and refuses one that comes under another id', async () => {
    await endJob();
    const news = noticeFailed(ALL[2]!, 'no', { ...(await server.outbox())[2]!, due: 9_000_000 });
    expect(await server.jobs.tell(7, news, 'report 1')).to.equal('done');
    await server.restart();
    expect(await server.jobs.tell(7, news, 'report 1')).to.equal('done');
    expect((await server.snapshot())?.callback).to.include({ attempts: 1 });
    expect(await server.jobs.tell(7, noticeSent(ALL[2]!), 'report 2')).to.equal('done');
    expect(await server.jobs.tell(7, news, 'report 3')).to.equal('NOT_OUTSTANDING');
    expect(await ids()).to.deep.equal(ALL.slice(0, 2));
  });

  it('withdraws those of the run before when it is resubmitted, and owes its own at its end', async () => {
    await endJob();
    await server.jobs.tell(7, { type: 'resubmit', priority: 4, admitted: true, objectId: 'second' });
    expect(await ids()).to.deep.equal([]);
    await server.jobs.work(GIVEN, 7);
    expect(await ids()).to.deep.equal(ALL.map((id) => id.replace('.1.', '.2.')));
    expect(await server.rows()).to.deep.equal(['archive/000000', 'archive/000001']);
  });

  it('that fails again and again owes its callback all the same, and says why nothing is posted', async () => {
    await server.accept();
    server.jobs.broken = new Error('a bug');
    for (let time = 0; time < 4; time++) await server.jobs.tell(7, { type: 'resume' });
    expect(await server.snapshot()).to.deep.nested.include({
      status: 'ERROR',
      'callback.pending': 1,
      'archive.pending': 0,
      'archive.failures': ['The job failed before its results could be posted.'],
    });
    const [callback, ...others] = await server.outbox();
    expect(others).to.deep.equal([]);
    expect(callback).to.deep.nested.include({
      id: 'here-7.1.callback',
      'body.url': `${CALLER}/done?jobid=here-7`,
    });
    expect(server.jobs.woken).to.deep.equal([CALLER]);
    expect(await server.jobs.tell(7, noticeSent('here-7.1.callback'))).to.equal('done');
    expect(await ids()).to.deep.equal([]);
  });
});

describe('The actor of a batch job that asks the archive', () => {
  const server = jobServer(GIVEN);

  it('asks again after a restart, and ends with the document of the earlier job', async () => {
    await server.accept(GIVEN, { archive: 'later' });
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.deep.include({ stage: { name: 'CHECK' }, progress: 0 });
    expect(server.jobs.asked).to.deep.equal([1]);
    await server.restart();
    await server.jobs.tell(7, { type: 'resume' });
    expect(server.jobs.asked, 'asked by the new process').to.include(1);
    expect(await server.jobs.tell(7, { type: 'archiveChecked', run: 1, answer: MATCH })).to.equal('done');
    expect(await server.snapshot()).to.include({
      status: 'COMPLETE',
      pastOutput: PAST_OUTPUT,
      archive: null,
    });
    expect(await server.rows()).to.deep.equal([]);
    expect((await server.outbox()).map(({ id }) => id)).to.deep.equal(['here-7.1.callback']);
    expect(server.jobs.ended).to.deep.equal([7]);
    expect((await server.jobs.offeredRows()).length, 'work').to.equal(0);
  });

  it('goes on with what was inspected before the restart', async () => {
    await server.accept(GIVEN, { archive: 'later' });
    await server.jobs.work(GIVEN, 7);
    await server.restart();
    await server.jobs.tell(7, { type: 'archiveChecked', run: 1, answer: { kind: 'none' } });
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE', pastOutput: null, hasDocument: true });
    expect(await server.outbox()).to.have.lengthOf(3);
  });
});
