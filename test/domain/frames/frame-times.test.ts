import { expect } from 'chai';
import * as fc from 'fast-check';
import { frameOfTime, timeOfFrame, plausibleRate } from '../../../domain/frames/frame-times.ts';
import { constantFrameTimes, variableFrameTimes } from '../../support/frame-times.ts';
import { vectors } from '../support.ts';

describe('The time of a frame', () => {
  const { fps, startTime, cases } = vectors.frameTime.skippedInspectionVideo;
  for (const [frame, time] of cases) {
    it(`${frame} at ${fps} frames per second is ${time} ms`, () => {
      expect(timeOfFrame(constantFrameTimes(fps, startTime), frame)).to.equal(time);
    });
  }

  it('is the start time plus frames over rate, rounded down, for a constant rate', () => {
    const ntsc = constantFrameTimes(30000 / 1001, 40);
    expect([0, 1, 2, 3, 30, 300].map((f) => timeOfFrame(ntsc, f))).to.deep.equal([
      40, 73, 106, 140, 1041, 10050,
    ]);
  });
  it('comes from the table for a variable rate and goes on at the mean rate behind it', () => {
    const times = variableFrameTimes([5, 40, 120], 25);
    expect([0, 1, 2, 3, 4].map((f) => timeOfFrame(times, f))).to.deep.equal([5, 40, 120, 160, 200]);
  });
});

describe('The frame at a time', () => {
  it('is the last one that is shown then or before', () => {
    const times = variableFrameTimes([33, 66, 100], 30);
    expect([0, 33, 65, 66, 99, 100, 132, 133, 165, 166].map((t) => frameOfTime(times, t))).to.deep.equal([
      0, 0, 0, 1, 1, 2, 2, 3, 3, 4,
    ]);
  });
  it('is the frame whose time it is, for every constant rate', () => {
    const rates = fc.oneof(
      fc.double({ min: 0.1, max: 240, noNaN: true }),
      fc.constantFrom(30000 / 1001, 24000 / 1001, 223 / 12, 25),
    );
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: 0, max: 5000 }),
        fc.nat({ max: 1_000_000 }),
        (fps, start, frame) => {
          const times = constantFrameTimes(fps, start);
          expect(frameOfTime(times, timeOfFrame(times, frame))).to.equal(frame);
          expect(frameOfTime(times, timeOfFrame(times, frame + 1) - 1)).to.equal(frame);
        },
      ),
      { numRuns: 2000 },
    );
  });
  it('before the start is frame 0', () => {
    expect(frameOfTime(constantFrameTimes(25, 1000), 10)).to.equal(0);
  });

  it('keeps a stated rate unless the video has far more or far fewer frames', () => {
    expect(plausibleRate(24, 19.6)).to.equal(24);
    expect(plausibleRate(1000, 30)).to.equal(30);
    expect(plausibleRate(0, 12.5)).to.equal(12.5);
    expect(plausibleRate(25, NaN)).to.equal(25);
    expect(plausibleRate(25, Infinity)).to.equal(25);
  });
});
