/** Estimated remaining time of a job. */
import { expect } from 'chai';
import type { JobSnapshot } from '../../../../actors/batch-job/state/snapshot.ts';
import { RemainingTimes } from '../../../../actors/views/jobs/remaining-times.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const leases = (...workers: readonly string[]) =>
  workers.map((worker) => ({ worker, item: { kind: 'DETECT' } }));

/** A job with this number of tasks, each with two actions. */
function jobOf(tasks: number, snapshot: Partial<Pick<JobSnapshot, 'stage' | 'timing' | 'progress'>>) {
  const plan = { tasks: Array.from({ length: tasks }, () => ({ actions: [{}, {}] })) };
  const stage = { name: 'TASK', index: 0 } as const;
  return {
    record: { jobId: 'host-1', plan },
    snapshot: { ...{ stage, timing: [], progress: 0 }, ...snapshot },
  };
}

describe('The remaining time of a job', () => {
  it('follows from what is done, how long that took, and who works for the job', () => {
    const job = jobOf(1, { timing: [6_000, 2_000], progress: 20 });
    for (const [workers, progress, seconds] of [
      [['a'], 20, 35],
      [['a', 'b'], 20, 20],
      [['a', 'b', 'c', 'd'], 20, 8],
      [['a', 'b', 'a', 'b'], 20, 20],
      [['a'], 60, 20],
      [['a'], 99.9, 1],
    ] as const)
      expect(new RemainingTimes(new VirtualClock()).of(job, leases(...workers), progress)).to.deep.equal({
        seconds,
        atLeast: false,
      });
  });

  it('is the least that it can be while later tasks have not begun', () => {
    const first = jobOf(2, { timing: [5_000], progress: 25 });
    const times = new RemainingTimes(new VirtualClock());
    expect(times.of(first, leases('a'), 25)).to.deep.equal({ seconds: 5, atLeast: true });
    const stage = { name: 'TASK', index: 1 } as const;
    const second = jobOf(2, { stage, timing: [10_000, 0, 30_000, 0], progress: 75 });
    expect(times.of(second, leases('a'), 75)).to.deep.equal({ seconds: 30, atLeast: false });
  });

  it('is not told while nothing is known', () => {
    const times = new RemainingTimes(new VirtualClock());
    const done = { timing: [4_000], progress: 40 };
    expect(times.of(jobOf(1, done), [], 40)).to.equal(undefined);
    expect(times.of(jobOf(1, { progress: 0 }), leases('a'), 12)).to.equal(undefined);
    expect(times.of(jobOf(1, { ...done, timing: [] }), leases('a'), 40)).to.equal(undefined);
    for (const name of ['WAITING', 'PREPARE', 'DOCUMENT', 'ENDED'] as const)
      expect(times.of(jobOf(1, { ...done, stage: { name } }), leases('a'), 40)).to.equal(undefined);
  });

  it('outlasts a moment between two sub-jobs, and not a wait', async () => {
    const clock = new VirtualClock();
    const times = new RemainingTimes(clock);
    const job = jobOf(1, { timing: [4_000], progress: 50 });
    const known = times.of(job, leases('a', 'b'), 50);
    expect(known).to.deep.equal({ seconds: 2, atLeast: false });
    await clock.advance(1_000);
    expect(times.of(job, [], 50)).to.deep.equal(known);
    await clock.advance(4_500);
    expect(times.of(job, [], 50)).to.equal(undefined);
  });

  it('is not told of a job that does not get on', async () => {
    const clock = new VirtualClock();
    const times = new RemainingTimes(clock);
    const job = jobOf(1, { timing: [4_000], progress: 50 });
    expect(times.of(job, leases('a'), 50)).to.deep.equal({ seconds: 4, atLeast: false });
    await clock.advance(30_000);
    expect(times.of(job, leases('a'), 50)).to.deep.equal({ seconds: 4, atLeast: false });
    await clock.advance(3_000);
    expect(times.of(job, leases('a'), 50)).to.equal(undefined);
    expect(times.of(job, leases('a'), 75)).to.deep.equal({ seconds: 2, atLeast: false });
  });
});
