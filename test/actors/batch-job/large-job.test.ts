import { expect } from 'chai';
import { configHashAhead } from '../../../actors/batch-job/completion/archive.ts';
import { planAhead } from '../../../actors/batch-job/plan/plan-stages.ts';
import { jobSnapshotSchema, toSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { restoreInSteps } from '../../../actors/batch-job/life-cycle/fold.ts';
import type { Steps } from '../../../actors/runtime/steps.ts';
import { LedJob, type GivenJob } from './jobs.ts';
import { SimulatedJob } from './simulation/simulated-job.ts';

const ACTIONS = 10;
/** `npm run test:long` uses the largest number of media that a request may have. */
const [MANY, MOST] = process.env['SHARE_OF_RUNS'] === '1' ? [10_000, 10_000] : [1_000, 2_000];
const ofMedia = (media: number): GivenJob => ({
  media: Array.from({ length: media }, (_, n) => ({ type: n % 2 === 0 ? 'IMAGE' : 'VIDEO' })),
  tasks: [ACTIONS],
});

describe('A batch job of many media', () => {
  it('plans its next task step by step before the answer that ends a stage', () => {
    const job = LedJob.accept({ ...ofMedia(MANY), tasks: [1, ACTIONS] }, { window: 16 });
    expect(countSteps(planAhead(job.record, job.state!)!), 'while nothing is inspected').to.equal(0);
    for (let left = job.outstanding; left.length > 1 || left[0]!.kind !== 'FINISH'; left = job.outstanding)
      job.finish(left[0]!);
    expect(countSteps(planAhead(job.record, job.state!)!)).to.equal(MANY);
    const last = job.outstanding[0]!;
    const before = job.state!;
    const planned = [1, 2].map(() => {
      job.state = before;
      return job.finish(last).state!.units;
    });
    expect(planned[0]!.size).to.equal(MANY * ACTIONS);
    // The same objects, not equal copies: existing plans are not computed again.
    for (const medium of [0.05, 0.5, 0.95].map((part) => part * MANY))
      expect(planned[0]!.get(medium * ACTIONS)).to.equal(planned[1]!.get(medium * ACTIONS));
  });

  for (const slow of [0, 1])
    it(`plans its first task while media are inspected, each once, though medium ${slow} takes long`, () => {
      const job = LedJob.accept({ ...ofMedia(500), tasks: [3] }, { window: 64 });
      let steps = 0;
      for (;;) {
        const inspected = job.outstanding.find(({ kind, medium }) => kind === 'PREPARE' && medium !== slow);
        if (inspected === undefined) break;
        job.finish(inspected);
        steps += countSteps(planAhead(job.record, job.state!)!);
      }
      expect(steps).to.equal(499);
      job.finish(job.outstanding.find(({ kind, medium }) => kind === 'PREPARE' && medium === slow)!);
      expect(job.state!.units.size).to.equal(3 * 500);
    });

  it('works out step by step under which hash archives will know it, before its end', () => {
    const media = ofMedia(200).media!.map((medium) => ({
      ...medium,
      archiveUrl: 'http://archive.example',
    }));
    const job = LedJob.accept({ media, tasks: [1] }, { window: 16 });
    expect(configHashAhead(job.record, job.state!), 'its media are not inspected').to.equal(undefined);
    job.doAll('PREPARE');
    expect(countSteps(configHashAhead(job.record, job.state!)!)).to.be.at.least(400);
    expect(configHashAhead(job.record, job.state!), 'it is known').to.equal(undefined);
    const { notices } = job.doAll();
    expect(notices).to.have.length(200);
    expect(notices[0]!.body.body).to.have.nested.property('dataObject.jobConfigHash').that.is.a('string');
  });

  it('is restored step by step', () => {
    const job = LedJob.accept(ofMedia(MANY), { window: 16 }).doAll('PREPARE');
    const rows = [...job.rows.values()];
    expect(rows.length).to.be.greaterThan(MANY);
    const snapshot = jobSnapshotSchema.parse(toSnapshot(job.record, job.state!));
    expect(countSteps(restoreInSteps(job.record, snapshot, rows as never))).to.be.greaterThan(3 * MANY);
  });

  it('is followed by another server from written rows, except at the start of a stage', () => {
    const shape = {
      ...ofMedia(20),
      ...{ window: 16, attempts: 3, admitted: true, buildOutput: true, archive: 'notAsked' as const },
    };
    const job = new SimulatedJob({ ...shape, tasks: [1, 1] });
    job.drive();
    const { stages, whole } = job.follower;
    expect([...stages]).to.include.members(['TASK', 'TASK while media are inspected']);
    expect(whole, 'times that all rows were needed').to.be.lessThan(10);
  });

  it(`takes an answer, of ${MOST} media, in about the time that a job of 100 takes`, () => {
    const [small, large] = [100, MOST].map((media) =>
      LedJob.accept(ofMedia(media), { window: 16 }).doAll('PREPARE'),
    );
    // The best of several measurements, because other processes slow some of them.
    const ratios = Array.from({ length: 5 }, () => timeOf(large!) / timeOf(small!));
    expect(Math.min(...ratios)).to.be.lessThan(8);
  });
});

function countSteps(steps: Steps<unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count++;
  return count;
}

function timeOf(job: LedJob): number {
  const start = performance.now();
  for (let i = 0; i < 100; i++) {
    job.finish(job.outstanding[0]!);
    toSnapshot(job.record, job.state!);
  }
  return performance.now() - start;
}
