import { expect } from 'chai';
import * as fc from 'fast-check';
import { delay } from '../../../actors/basics/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { runs, seeded } from '../../support/seed.ts';

describe('A virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = new VirtualClock(5);
    let ran = false;
    clock.after(0, () => (ran = true));
    expect([clock.now(), ran]).to.deep.equal([5, false]);
    await clock.advance(0);
    expect(ran).to.equal(true);
  });

  it(`runs what falls due in order of time, then of asking, each at its own time ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(20), { maxLength: 30 }),
        fc.integer({ min: 0, max: 25 }),
        async (delays, end) => {
          const clock = new VirtualClock();
          const seen: [number, number][] = [];
          for (const [n, ms] of delays.entries()) clock.after(ms, () => seen.push([clock.now(), n]));
          await clock.advance(end);
          const due = delays.map((ms, n): [number, number] => [ms, n]).filter(([ms]) => ms <= end);
          expect(seen).to.deep.equal(due.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
          expect(clock.now()).to.equal(end);
        },
      ),
      runs(50),
    );
  });

  it('runs in one advance what its tasks schedule, and lets promises settle in between', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const work = async () => {
      await delay(clock, 10);
      seen.push(`first at ${clock.now()}`);
      await delay(clock, 10);
      seen.push(`second at ${clock.now()}`);
    };
    void work();
    clock.after(15, () => seen.push(`between at ${clock.now()}`));
    await clock.advance(30);
    expect(seen).to.deep.equal(['first at 10', 'between at 15', 'second at 20']);
  });

  it('forgets what is cancelled', async () => {
    const clock = new VirtualClock();
    let ran = false;
    clock.after(5, () => (ran = true))();
    await clock.advance(10);
    expect(ran).to.equal(false);
  });
});
