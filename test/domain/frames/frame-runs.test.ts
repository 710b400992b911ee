import { expect } from 'chai';
import * as fc from 'fast-check';
import { frameTable, type FrameTable } from '../../../domain/frames/frame-runs.ts';
import { timesOfRuns } from '../../support/frame-times.ts';
import { timeOfFrame } from '../../../domain/frames/frame-times.ts';

/** All times of a table. */
const timesOf = ({ runs }: FrameTable) => timesOfRuns(runs);

const variable = (times: readonly number[]) =>
  frameTable({ fps: 25, constantRate: false, startTime: times[0] ?? 0, times }, times.length);

describe('The table of frame times', () => {
  it('is one run at a constant rate, with the times that the document has', () => {
    for (const fps of [24, 25, 30, 24_000 / 1001, 30_000 / 1001, 60_000 / 1001, 12.5, 7]) {
      const times = { fps, constantRate: true, startTime: 1400 };
      const table = frameTable(times, 2_000);
      expect(table.runs).to.have.lengthOf(1);
      expect(timesOf(table)).to.deep.equal(Array.from({ length: 2_000 }, (_, n) => timeOfFrame(times, n)));
    }
  });

  it('tells any times exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 300 }), (steps) => {
        let at = 0;
        const times = steps.map((step) => (at += step));
        const table = variable(times);
        expect(table.frames).to.equal(times.length);
        expect(timesOf(table)).to.deep.equal(times);
      }),
    );
  });

  it('is short if the rate seldom changes, whatever it is, though times are whole milliseconds', () => {
    for (const fps of [30, 24_000 / 1001, 30_000 / 1001, 60_000 / 1001]) {
      const times: number[] = [];
      let at = 0.37;
      for (let n = 0; n < 9_000; n++) {
        times.push(Math.floor(at));
        at += (n % 3_000 === 2_999 ? 50_000 : 1_000) / fps;
      }
      const table = variable(times);
      expect(timesOf(table)).to.deep.equal(times);
      expect(table.runs.length, `${fps}`).to.be.at.most(12);
    }
    expect(variable([0, 40, 80, 120, 500, 540]).runs).to.deep.equal([
      [0, 40, 4],
      [500, 40, 2],
    ]);
  });

  it('has no run without frames, and one frame without a rate', () => {
    expect(frameTable({ fps: 0, constantRate: true, startTime: 0 }, 0).runs).to.deep.equal([]);
    expect(frameTable({ fps: 0, constantRate: true, startTime: 5 }, 1).runs).to.deep.equal([[5, 0, 1]]);
    expect(variable([7]).runs).to.deep.equal([[7, 0, 1]]);
  });
});
