/** The frame that a player shows, derived from its time. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { FrameTable, type Run } from '../../../page/viewer/frame-table.ts';

/** Runs of frames, each at least one millisecond after the previous one. */
const someRuns = fc
  .array(fc.tuple(fc.double({ min: 1, max: 500, noNaN: true }), fc.integer({ min: 1, max: 30 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => {
    let start = 0;
    return parts.map(([delta, count]): Run => {
      const run: Run = [start, delta, count];
      start += delta * count;
      return run;
    });
  });
const timesOf = (runs: readonly Run[]) =>
  runs.flatMap(([start, delta, count]) => Array.from({ length: count }, (_, n) => start + n * delta));

describe('The table of frames', () => {
  it('tells the time of each frame', () =>
    fc.assert(
      fc.property(someRuns, (runs) => {
        const table = new FrameTable(runs);
        const times = timesOf(runs);
        expect(table.count).to.equal(times.length);
        expect(times.map((_, frame) => table.timeOf(frame))).to.deep.equal(times);
      }),
    ));

  it('tells the frame of each time, however a player rounds it', () =>
    fc.assert(
      fc.property(someRuns, fc.double({ min: -0.4, max: 0.4, noNaN: true }), (runs, rounding) => {
        const table = new FrameTable(runs);
        for (const [frame, ms] of timesOf(runs).entries())
          expect(table.nearest(ms + rounding)).to.equal(frame);
      }),
    ));

  it('tells the frame on show at each time until the next one comes', () =>
    fc.assert(
      fc.property(someRuns, fc.double({ min: 0, max: 0.999, noNaN: true }), (runs, part) => {
        const table = new FrameTable(runs);
        const times = timesOf(runs);
        for (const [frame, ms] of times.entries()) {
          const next = times[frame + 1] ?? ms + 1;
          // From half a millisecond before the next frame, a player may already show that one.
          const at = Math.min(ms + part * (next - ms), next - 0.501);
          expect(table.shownAt(Math.max(ms, at))).to.equal(frame);
        }
      }),
    ));

  it('takes the first and the last frame for times before and behind all of them', () => {
    const table = new FrameTable([
      [500, 40, 10],
      [2_000, 20, 5],
    ]);
    expect([table.nearest(-5), table.nearest(0), table.nearest(1e9)]).to.deep.equal([0, 0, 14]);
    expect([table.timeOf(-3), table.timeOf(99)]).to.deep.equal([500, 2_080]);
    expect([table.nearest(1_420), table.nearest(1_440)], 'in a gap').to.deep.equal([9, 10]);
    expect(new FrameTable([]).nearest(5)).to.equal(0);
  });
});
