import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  capRanges,
  cutRange,
  cutRanges,
  followUpRanges,
  joinRanges,
  segmentLimits,
  SOUND_SEGMENT_LENGTH,
  soundPieces,
  userRanges,
} from '../../../domain/frames/segments.ts';
import { constantFrameTimes, variableFrameTimes } from '../../support/frame-times.ts';
import type { Range } from '../../../domain/types.ts';
import { pair, range, vectors } from '../support.ts';

const aRange = fc
  .tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 2000 }))
  .map(([start, length]) => ({ start, stop: start + length }));

function framesOf(ranges: readonly Range[]): Set<number> {
  const frames = new Set<number>();
  for (const { start, stop } of ranges) for (let f = start; f <= stop; f++) frames.add(f);
  return frames;
}

describe('Segments of a video', () => {
  for (const { in: given, target, min, gap, out } of vectors.segments.cases) {
    it(`${JSON.stringify(given)} are cut to ${target} frames, at least ${min}, over gaps of ${gap}, into ${out.length}`, () => {
      const joined = joinRanges(given.map(range), gap);
      expect(cutRanges(joined, { target, min }).map(pair)).to.deep.equal(out);
    });
  }

  it('cover the range exactly, in order, each of min to target + min - 1 frames', () => {
    fc.assert(
      fc.property(
        aRange,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        (whole, target, min) => {
          const pieces = cutRange(whole, { target, min });
          expect(pieces[0]?.start).to.equal(whole.start);
          expect(pieces.at(-1)?.stop).to.equal(whole.stop);
          for (const [index, piece] of pieces.entries()) {
            const next = pieces[index + 1];
            const length = piece.stop - piece.start + 1;
            if (next !== undefined) expect(next.start).to.equal(piece.stop + 1);
            if (next !== undefined) expect(length).to.equal(target);
            if (pieces.length > 1) expect(length).to.be.within(Math.min(min, target), target + min - 1);
          }
        },
      ),
    );
  });

  it('are not cut when the target is 0 or less', () => {
    for (const target of [0, -1]) {
      expect(cutRange({ start: 3, stop: 999 }, { target, min: 20 })).to.deep.equal([{ start: 3, stop: 999 }]);
    }
  });

  it('do not exist for an empty range', () => {
    expect(cutRange({ start: 0, stop: -1 }, { target: 10, min: 1 })).to.deep.equal([]);
  });

  it('never leave the range, whatever minimum is given', () => {
    expect(cutRange({ start: 0, stop: 11 }, { target: 10, min: -5 }).map(pair)).to.deep.equal([
      [0, 9],
      [10, 11],
    ]);
  });
});

describe('Segment lengths', () => {
  const constant = constantFrameTimes(29.97);
  const variable = variableFrameTimes([0, 30, 70], 29.97);

  it('default to 200 and at least 20 frames for a constant rate', () => {
    expect(segmentLimits({}, constant)).to.deep.equal({ target: 200, min: 20 });
  });
  it('default to 400 and at least 40 frames for a variable rate', () => {
    expect(segmentLimits({}, variable)).to.deep.equal({ target: 400, min: 40 });
  });
  it('come from the properties of the kind of rate', () => {
    const properties = {
      TARGET_SEGMENT_LENGTH: '50',
      VFR_TARGET_SEGMENT_LENGTH: '60',
      VFR_MIN_SEGMENT_LENGTH: '7',
    };
    expect(segmentLimits(properties, constant)).to.deep.equal({ target: 50, min: 20 });
    expect(segmentLimits(properties, variable)).to.deep.equal({ target: 60, min: 7 });
  });
  it('are multiplied by the frame rate and rounded down when they are given in seconds', () => {
    const properties = {
      TARGET_SEGMENT_LENGTH: '10',
      MIN_SEGMENT_LENGTH: '2',
      SEGMENT_LENGTH_SPECIFICATION: 'seconds',
    };
    expect(segmentLimits(properties, constant)).to.deep.equal({ target: 299, min: 59 });
  });
  it('of 0 seconds still do not cut', () => {
    const properties = { TARGET_SEGMENT_LENGTH: '0', SEGMENT_LENGTH_SPECIFICATION: 'SECONDS' };
    expect(segmentLimits(properties, constant).target).to.equal(0);
  });
  it('may leave a rest of any length with a minimum of 0 seconds', () => {
    const properties = { MIN_SEGMENT_LENGTH: '0', SEGMENT_LENGTH_SPECIFICATION: 'SECONDS' };
    expect(segmentLimits(properties, constant).min).to.equal(1);
  });
  it('fall back to the default when they are no whole number', () => {
    expect(segmentLimits({ TARGET_SEGMENT_LENGTH: 'long' }, constant).target).to.equal(200);
  });
});

describe('Ranges of frames', () => {
  for (const { a, b, gap, out } of vectors.segments.overlaps) {
    it(`[${a.join()}] and [${b.join()}] ${out ? 'are' : 'are not'} joined over a gap of ${gap}`, () => {
      expect(joinRanges([range(b), range(a)], gap)).to.have.length(out ? 1 : 2);
    });
  }

  it('are joined over MIN_GAP_BETWEEN_SEGMENTS frames for a later task', () => {
    const ranges = [range([30, 40]), range([0, 20]), range([51, 60])];
    expect(followUpRanges(ranges, {}).map(pair)).to.deep.equal([
      [0, 40],
      [51, 60],
    ]);
    expect(followUpRanges(ranges, { MIN_GAP_BETWEEN_SEGMENTS: '11' }).map(pair)).to.deep.equal([[0, 60]]);
  });

  it('keep exactly their frames when they are joined where they touch', () => {
    fc.assert(
      fc.property(fc.array(aRange, { maxLength: 20 }), (ranges) => {
        const joined = joinRanges(ranges, 1);
        expect(framesOf(joined)).to.deep.equal(framesOf(ranges));
        for (const [index, next] of joined.slice(1).entries()) {
          expect(next.start - (joined[index]?.stop ?? 0)).to.be.greaterThan(1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are joined over the smallest gaps until no more than the maximum are left', () => {
    const ranges = [range([0, 1]), range([10, 11]), range([13, 14]), range([20, 21])];
    expect(capRanges(ranges, 2).map(pair)).to.deep.equal([
      [0, 1],
      [10, 21],
    ]);
    expect(capRanges(ranges, 1).map(pair)).to.deep.equal([[0, 21]]);
    expect(capRanges(ranges, 4)).to.have.length(4);
  });

  it('lose no frame when their number is capped', () => {
    fc.assert(
      fc.property(fc.array(aRange, { maxLength: 20 }), fc.integer({ min: 1, max: 10 }), (ranges, max) => {
        const capped = capRanges(ranges, max);
        expect(capped.length).to.be.at.most(max);
        const frames = framesOf(capped);
        for (const { start, stop } of ranges) expect(frames.has(start) && frames.has(stop)).to.equal(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('Frame and time ranges of a request', () => {
  const frameTimes = variableFrameTimes(vectors.userRanges.frameTimes, 30);
  const length = vectors.userRanges.frameTimes.length;

  for (const { frames, times, out } of vectors.userRanges.cases) {
    it(`frames ${JSON.stringify(frames)} and times ${JSON.stringify(times)} select ${JSON.stringify(out)}`, () => {
      const request = { frameRanges: frames.map(range), timeRanges: times.map(range), frameTimes, length };
      expect(userRanges(request).map(pair)).to.deep.equal(out);
    });
  }

  it('select the whole video when there are none', () => {
    const request = { frameRanges: [], timeRanges: [], frameTimes, length };
    expect(userRanges(request).map(pair)).to.deep.equal([[0, 10]]);
  });
  it('are combined, joined where they touch and clipped to the video', () => {
    const request = {
      frameRanges: [range([7, 500]), range([-3, 0])],
      timeRanges: [range([66, 100]), range([200, 240])],
      frameTimes,
      length,
    };
    expect(userRanges(request).map(pair)).to.deep.equal([
      [0, 2],
      [5, 10],
    ]);
  });
  it('select nothing when they lie behind the end of the video', () => {
    const request = { frameRanges: [range([11, 20])], timeRanges: [range([5000, 6000])], frameTimes, length };
    expect(userRanges(request)).to.deep.equal([]);
  });
});

describe('Pieces of a sound', () => {
  const cut = (seconds: string, durationMs: number, most = 1_000) =>
    soundPieces({ [SOUND_SEGMENT_LENGTH]: seconds }, durationMs, most);

  it('follow each other from the beginning to the end, each of a half to one and a half lengths', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 9_000_000 }),
        (seconds, duration) => {
          const pieces = cut(String(seconds), duration, 20_000);
          if (pieces.length === 0) return duration < seconds * 1_500;
          const follow = pieces.every(({ start }, n) => start === (n === 0 ? 0 : pieces[n - 1]!.stop + 1));
          const fit = pieces.every(({ start, stop }) => {
            const length = (stop - start + 1) / (seconds * 1_000);
            return length >= 0.5 && length < 1.5;
          });
          return follow && fit && pieces.at(-1)!.stop === duration - 1;
        },
      ),
    );
  });

  it('become longer where they would be too many', () => {
    expect(cut('1', 3_600_000, 10)).to.have.length.within(2, 10);
  });

  it('are none without a length of pieces or of the sound', () => {
    for (const [seconds, duration] of [
      ['0', 9e6],
      ['-1', 9e6],
      ['10', NaN],
      ['10', 0],
      ['ten', 9e6],
      ['', 9e6],
    ] as const)
      expect(cut(seconds, duration), `${seconds} of ${duration}`).to.deep.equal([]);
  });
});
