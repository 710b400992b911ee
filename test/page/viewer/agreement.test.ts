/** The agreement of two jobs on the page, compared with the measures of `troupe evaluate`. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  countedIn,
  precisionOf as evaluatedPrecision,
  recallOf as evaluatedRecall,
  surestFirst,
} from '../../../evaluate/measures/box-matching.ts';
import { agreementOf, f1Of, meanOverlapOf, precisionOf, recallOf } from '../../../page/viewer/agreement.ts';
import type { Box, Lane } from '../../../page/kit/findings/types.ts';
import { runs, seeded } from '../../support/seed.ts';

const LANES = [{ lane: 0, type: 'CLASS' }] as readonly Pick<Lane, 'lane' | 'type'>[] as readonly Lane[];
const boxOf = (x: number, confidence = 0.5, more: Partial<Box> = {}): Box => ({
  ...{ frame: 0, track: 0, lane: 0, label: 'car', x, y: 0, width: 10, height: 10, confidence, corners: null },
  ...more,
});
const compare = (own: readonly Box[], other: readonly Box[], lastFrame = 9) =>
  agreementOf({ boxes: own, lanes: LANES }, { boxes: other, lanes: LANES }, lastFrame);

describe('The agreement of the boxes of two jobs', () => {
  it('is measured by class, and in each frame by itself', () => {
    const own = [boxOf(0), boxOf(50), boxOf(0, 0.5, { frame: 1 }), boxOf(0, 0.5, { label: 'bus' })];
    const other = [boxOf(2), boxOf(50, 0.5, { frame: 1 })];
    const [cars, buses] = compare(own, other);
    expect(cars).to.include({ name: 'car', own: 3, other: 2, same: 1 });
    expect(precisionOf(cars!)).to.equal(0.5);
    expect(recallOf(cars!)).to.be.closeTo(1 / 3, 1e-9);
    expect(f1Of(cars!)).to.equal(0.4);
    expect(meanOverlapOf(cars!)).to.be.closeTo(8 / 12, 1e-9);
    expect(buses).to.include({ name: 'bus', own: 1, other: 0, same: 0 });
    expect(precisionOf(buses!)).to.equal(undefined);
  });

  it('leaves out frames behind the last one that both answers have', () => {
    expect(compare([boxOf(0, 0.5, { frame: 3 })], [boxOf(0)], 2)[0]).to.include({ own: 0, other: 1 });
  });

  it(`has the precision and recall that troupe evaluate tells ${seeded}`, () => {
    const boxes = fc.array(
      fc
        .tuple(
          fc.integer({ min: 0, max: 30 }),
          fc.integer({ min: 0, max: 10 }),
          fc.integer({ min: 0, max: 99 }),
        )
        .map(([x, y, percent]) => boxOf(x, percent / 100, { y })),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(boxes, boxes, (own, other) => {
        const truths = own.map((box) => ({ ...box, area: 100, ignored: false, crowd: false }));
        const found = surestFirst(other.map((box) => ({ ...box, score: box.confidence })));
        const counts = countedIn({ truths, found }, { threshold: 0, iou: 0.5 });
        const [cars] = compare(own, other);
        expect(precisionOf(cars!)).to.equal(evaluatedPrecision(counts));
        expect(recallOf(cars!)).to.equal(evaluatedRecall(counts));
      }),
      runs(2_000),
    );
  });
});
