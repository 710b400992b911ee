/** Sub-jobs that wait for other hosts. */
import { expect } from 'chai';
import { TransferTimers } from '../../../actors/batch-job/transfer-timers.ts';
import { recover } from '../../../actors/batch-job/life-cycle/recovery.ts';
import { workChange } from '../../../actors/batch-job/life-cycle/work-items.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { BUCKET, busyWith, doneWith, LedJob } from './jobs.ts';

const REMOTE = { media: [{ remote: true }] };
const LANE = 'MEDIA_DOWNLOAD/media.example/somebody';

describe('A medium of another host', () => {
  it('is fetched in the lane of its host and user, then inspected', () => {
    const job = LedJob.accept(REMOTE);
    const fetching = job.row('PREPARE');
    expect(fetching).to.include({ queue: LANE }).and.to.have.nested.property('work.step', 'FETCH');
    const before = job.state;
    job.tell(doneWith(REMOTE, fetching));
    const inspecting = job.row('PREPARE');
    expect(inspecting).to.include({ key: fetching.key, queue: 'MEDIA_INSPECTION', attempts: 0 });
    expect(inspecting).to.have.nested.property('work.step', 'INSPECT');
    const { settle, offer = [] } = workChange(job.record, before, job.state!, { effects: job.effects });
    expect(settle, 'over for whoever fetched it').to.deep.equal([fetching.id]);
    expect(offer.map(({ queue }) => queue)).to.deep.equal(['MEDIA_INSPECTION']);
    expect(job.doAll().status).to.equal('COMPLETE');
  });

  it('is tried again later and later, and given up at the fourth failure', () => {
    const job = LedJob.accept(REMOTE);
    for (const [failures, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      const before = job.state;
      job.tell(busyWith(job.row('PREPARE')));
      const row = job.row('PREPARE');
      expect(row.transfer).to.deep.equal({
        failures: failures + 1,
        spentMs: 5 * (failures + 1),
        notBefore: job.at + pauseMs,
      });
      expect(job.effects).to.deep.equal([{ type: 'offerLater', rows: [row] }]);
      expect(workChange(job.record, before, job.state!, { effects: job.effects })).to.deep.include({
        settle: [row.id],
        offer: [],
      });
      expect(recover(job.state!), 'after a restart').to.deep.equal(job.effects);
      job.tell({ type: 'transfersDue' });
      expect(job.effects, 'too early').to.deep.equal([{ type: 'offerLater', rows: [row] }]);
      job.at += pauseMs;
      job.tell({ type: 'transfersDue' });
      expect(job.effects).to.deep.equal([{ type: 'offer', rows: [row] }]);
    }
    job.tell(busyWith(job.row('PREPARE')));
    expect(job.doAll().status).to.equal('ERROR');
  });

  it('is not tried again once its job is cancelled', () => {
    const job = LedJob.accept(REMOTE);
    const row = job.row('PREPARE');
    job.tell({ type: 'cancel' });
    job.tell(busyWith(row));
    expect(job.outstanding.map(({ kind }) => kind)).to.not.include('PREPARE');
  });
});

describe('Results for a bucket', () => {
  it('are made by the component, and uploaded in the lane of the bucket by those who wait', () => {
    const given = { ...REMOTE, properties: { ...BUCKET, ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' } };
    const job = LedJob.accept(given).doAll('PREPARE', 'DETECT', 'FINISH');
    const making = job.row('ARTIFACTS');
    expect(making.queue).to.equal('ARTIFACT_EXTRACTION');
    job.tell(doneWith(given, making));
    const uploading = job.row('ARTIFACTS');
    expect(uploading).to.include({ key: making.key, queue: 'RESULT_UPLOAD/bucket.example/somebody' });
    expect(uploading).to.have.nested.property('work.made', `/spool/${making.id}`);
    expect(job.doAll().status).to.equal('COMPLETE');
  });
});

describe('The timers of transfers', () => {
  it('tell each job once, at the earliest of the times that were given', async () => {
    const clock = new VirtualClock();
    const told: number[] = [];
    const timers = new TransferTimers(clock, (jobNumber) => told.push(jobNumber));
    const now = clock.now();
    timers.set(1, now + 3_000);
    timers.set(1, now + 1_000);
    timers.set(1, now + 2_000);
    timers.set(2, now - 5);
    await clock.advance(999);
    expect(told).to.deep.equal([2]);
    await clock.advance(10_000);
    expect(told).to.deep.equal([2, 1]);
    timers.set(1, now);
    await clock.advance(1);
    expect(told).to.deep.equal([2, 1, 1]);
  });
});
