/**
 * Clients that watch jobs: one read per job for all of them, none without clients, and no event twice or out
 * of order.
 */
import { expect } from 'chai';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { JobWatch, type JobWatcher } from '../../../../actors/views/jobs/job-watch.ts';
import type { JobProgressEvent } from '../../../../actors/views/jobs/job-info.ts';

const POLL_MS = 250;

/** Jobs whose progress the test sets. Counts the reads. */
class Jobs {
  readonly progress = new Map<number, number>();
  readonly looked: number[] = [];
  /** Blocks the next read until the test resolves it. */
  gate: Promise<void> | undefined;

  async progressEvents(numbers: readonly number[]): Promise<readonly (JobProgressEvent | undefined)[]> {
    this.looked.push(...numbers);
    const seen = numbers.map((number) => this.progress.get(number));
    const { gate } = this;
    this.gate = undefined;
    await gate;
    return seen.map((jobProgress, n) =>
      jobProgress === undefined ? undefined : event(numbers[n]!, jobProgress),
    );
  }
}

const event = (number: number, jobProgress: number): JobProgressEvent => ({
  jobId: `host-${number}`,
  jobStatus: jobProgress === 100 ? 'COMPLETE' : 'IN_PROGRESS',
  jobProgress,
  terminal: jobProgress === 100,
  stage: jobProgress === 100 ? 'ENDED' : 'TASK',
  task: null,
  waitingFor: null,
  remaining: null,
});

describe('Watching jobs', () => {
  let jobs: Jobs;
  let clock: VirtualClock;
  let watch: JobWatch;
  beforeEach(() => {
    jobs = new Jobs();
    clock = new VirtualClock();
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    watch = new JobWatch({ views: jobs, clock, logger, pollMs: POLL_MS });
  });

  /** Progress events of one client; the last is `end`. */
  async function watcher(number: number): Promise<{ told: (number | 'end')[]; leave: () => void }> {
    const told: (number | 'end')[] = [];
    const each: JobWatcher = {
      onChange: ({ jobProgress }) => told.push(jobProgress),
      onEnd: () => told.push('end'),
    };
    const leave = await watch.watch(number, each);
    return { told, leave: leave ?? (() => expect.fail(`There is no job ${number}.`)) };
  }

  it('tells how the job stands at once, then changes only, and ends with the job', async () => {
    jobs.progress.set(1, 0);
    const { told } = await watcher(1);
    expect(told).to.deep.equal([0]);
    await clock.advance(4 * POLL_MS);
    expect(told).to.deep.equal([0]);
    jobs.progress.set(1, 30);
    await clock.advance(POLL_MS);
    jobs.progress.set(1, 100);
    await clock.advance(POLL_MS);
    expect(told).to.deep.equal([0, 30, 100, 'end']);
    const looks = jobs.looked.length;
    await clock.advance(10 * POLL_MS);
    expect([jobs.looked.length, watch.size]).to.deep.equal([looks, 0]);
  });

  it('looks once for all who watch a job, and not at all when nobody does', async () => {
    jobs.progress.set(1, 0);
    const all = await Promise.all(Array.from({ length: 200 }, () => watcher(1)));
    jobs.looked.length = 0;
    await clock.advance(10 * POLL_MS);
    expect(jobs.looked.length).to.equal(10);
    jobs.progress.set(1, 7);
    await clock.advance(POLL_MS);
    for (const { told } of all) expect(told).to.deep.equal([0, 7]);
    for (const { leave } of all) leave();
    jobs.looked.length = 0;
    await clock.advance(10 * POLL_MS);
    expect([jobs.looked.length, watch.size]).to.deep.equal([0, 0]);
    for (const { told } of all) expect(told.at(-1), 'nothing is told to who has left').to.equal(7);
  });

  it('answers for an unknown job that there is none, and for one that has ended its end', async () => {
    expect(await watch.watch(9, { onChange: () => undefined, onEnd: () => undefined })).to.equal(undefined);
    jobs.progress.set(1, 100);
    expect((await watcher(1)).told).to.deep.equal([100, 'end']);
    expect(watch.size).to.equal(0);
  });

  it('ends for those who watch a job that is deleted', async () => {
    jobs.progress.set(1, 5);
    const { told } = await watcher(1);
    jobs.progress.delete(1);
    await clock.advance(POLL_MS);
    expect(told).to.deep.equal([5, 'end']);
  });

  it('tells nothing that was seen before what was told already', async () => {
    jobs.progress.set(1, 10);
    const early = await watcher(1);
    let letGo = () => {};
    jobs.gate = new Promise((resolve) => (letGo = resolve));
    await clock.advance(POLL_MS);
    jobs.progress.set(1, 20);
    const late = await watcher(1);
    letGo();
    await clock.advance(0);
    expect([early.told, late.told]).to.deep.equal([[10, 20], [20]]);
    await clock.advance(3 * POLL_MS);
    jobs.progress.set(1, 30);
    await clock.advance(3 * POLL_MS);
    expect([early.told, late.told]).to.deep.equal([
      [10, 20, 30],
      [20, 30],
    ]);
  });

  it('goes on when a look fails', async () => {
    jobs.progress.set(1, 10);
    const { told } = await watcher(1);
    jobs.gate = Promise.reject(new Error('The store does not answer.'));
    await clock.advance(POLL_MS);
    jobs.progress.set(1, 20);
    await clock.advance(POLL_MS);
    expect(told).to.deep.equal([10, 20]);
  });

  it('rests four times as long as a look took', async () => {
    jobs.progress.set(1, 0);
    await watcher(1);
    let letGo = () => {};
    jobs.gate = new Promise((resolve) => (letGo = resolve));
    await clock.advance(POLL_MS);
    await clock.advance(1_000);
    letGo();
    await clock.advance(0);
    jobs.looked.length = 0;
    await clock.advance(3_999);
    expect(jobs.looked.length).to.equal(0);
    await clock.advance(1);
    expect(jobs.looked.length).to.equal(1);
  });

  it('ends for everybody when the server stops, also for who comes then', async () => {
    jobs.progress.set(1, 0);
    const { told } = await watcher(1);
    watch.close();
    expect(told).to.deep.equal([0, 'end']);
    expect((await watcher(1)).told).to.deep.equal([0, 'end']);
    jobs.looked.length = 0;
    await clock.advance(10 * POLL_MS);
    expect(jobs.looked).to.deep.equal([]);
  });
});
