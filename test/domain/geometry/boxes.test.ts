import { expect } from 'chai';
import * as fc from 'fast-check';
import { boundingBox, cornersInFrame, iou, orientationOf } from '../../../domain/geometry/geometry.ts';
import {
  dropIllFormed,
  hasNoArea,
  illFormedWarnings,
  isExemptFromBoxChecks,
  isOutsideFrame,
} from '../../../domain/geometry/ill-formed.ts';
import { padDetection, padTrack, paddingOf, paddingWarnings } from '../../../domain/geometry/padding.ts';
import { box, orientation, quad, track, vectors } from '../support.ts';

describe('Detection padding', () => {
  for (const { in: given, x, y, frame, out, shrunk = false, ...turned } of vectors.padding.cases) {
    const about = [
      turned.rotation === undefined ? '' : ` turned by ${turned.rotation}`,
      turned.flip ? ' flipped' : '',
    ];
    it(`[${given.join()}]${about.join('')} padded by ${x}, ${y} in ${frame.join(' x ')} is [${out.join()}]`, () => {
      const padding = paddingOf({ DETECTION_PADDING_X: x, DETECTION_PADDING_Y: y }) ?? {
        x: { amount: 0, percent: false },
        y: { amount: 0, percent: false },
      };
      const detection = { ...box(given), properties: orientation({ in: given, ...turned }) };
      const padded = padDetection(detection, padding, { width: frame[0], height: frame[1] });
      expect(quad(padded)).to.deep.equal(out);
      expect(padded.properties['SHRUNK_TO_NOTHING']).to.equal(shrunk ? 'TRUE' : undefined);
    });
  }

  it('is not done when it is 0, unset or no padding', () => {
    for (const value of ['0', '0%', '', 'wide']) {
      expect(paddingOf({ DETECTION_PADDING_X: value, DETECTION_PADDING_Y: '0' })).to.equal(null);
    }
  });

  it('of a detection inside the frame stays inside the frame', () => {
    const inside = fc.tuple(
      fc.nat(100),
      fc.nat(100),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 60 }),
    );
    const amount = fc.integer({ min: -60, max: 300 }).chain((n) => fc.constantFrom(`${n}`, `${n}%`));
    const quarters = fc.constantFrom('0', '90', '180', '270');
    fc.assert(
      fc.property(inside, amount, amount, quarters, fc.boolean(), (given, x, y, rotation, flip) => {
        const frame = { width: 100, height: 100 };
        const padding = paddingOf({ DETECTION_PADDING_X: x, DETECTION_PADDING_Y: y });
        const properties = { ROTATION: rotation, HORIZONTAL_FLIP: String(flip) };
        const detection = { ...box(given), properties };
        const lies = boundingBox(cornersInFrame(detection, orientationOf(properties)));
        fc.pre(lies.x >= 0 && lies.y >= 0 && lies.x + lies.width <= 100 && lies.y + lies.height <= 100);
        if (padding === null) return;
        const padded = padDetection(detection, padding, frame);
        const covered = boundingBox(cornersInFrame(padded, orientationOf(properties)));
        expect(padded.width).to.be.at.least(1);
        expect(padded.height).to.be.at.least(1);
        // The minimum size of one pixel, and the rounding of both ends, may extend the box by one pixel.
        expect(covered.x).to.be.at.least(-1);
        expect(covered.y).to.be.at.least(-1);
        expect(covered.x + covered.width).to.be.at.most(101);
        expect(covered.y + covered.height).to.be.at.most(101);
      }),
    );
  });

  it('that shrinks a detection to nothing is named in a warning with its frames', () => {
    const padding = paddingOf({ DETECTION_PADDING_X: '-30' });
    if (padding === null) throw new Error('no padding');
    const given = track([{ frame: 1 }, { frame: 2, box: [0, 0, 90, 90] }, { frame: 3 }]);
    const { track: padded, shrunk } = padTrack(given, padding, { width: 200, height: 200 });
    expect(padded.detections.map((d) => d.width)).to.deep.equal([1, 30, 1]);
    expect(paddingWarnings(shrunk)).to.deep.equal([
      {
        code: 'PADDING',
        message:
          'Shrunk one or more detection regions to nothing. 1-pixel detection regions used instead. (Frames: 1, 3)',
      },
    ]);
    expect(paddingWarnings([])).to.deep.equal([]);
  });
});

describe('An ill-formed detection', () => {
  const frame = { width: 200, height: 400 };
  for (const { in: given, out, ...turned } of vectors.illFormed.cases) {
    it(`[${given.join()}] ${JSON.stringify(turned)} ${out ? 'lies outside' : 'does not lie outside'} the frame`, () => {
      const properties = orientation({ in: given, ...turned });
      expect(isOutsideFrame({ ...box(given), properties }, frame)).to.equal(out);
    });
  }

  it('has no width or no height', () => {
    expect(hasNoArea(box([0, 0, 0, 5]))).to.equal(true);
    expect(hasNoArea(box([0, 0, 5, -1]))).to.equal(true);
    expect(hasNoArea(box([0, 0, 1, 1]))).to.equal(false);
  });

  it('is dropped, and its track begins and ends with the rest', () => {
    const given = track([
      { frame: 3, box: [0, 0, 0, 0] },
      { frame: 4 },
      { frame: 5, box: [300, 0, 10, 10] },
      { frame: 6 },
      { frame: 7, box: [0, -20, 10, 10] },
    ]);
    const { track: kept, ...frames } = dropIllFormed(given, frame);
    expect(kept).to.include({ startFrame: 4, stopFrame: 6, startTime: 400, stopTime: 600 });
    expect(kept?.detections.map((d) => d.frame)).to.deep.equal([4, 6]);
    expect(illFormedWarnings(frames)).to.deep.equal([
      {
        code: 'INVALID_DETECTION',
        message:
          'Dropped one or more ill-formed detection regions with width or height equal to 0. (Frames: 3)',
      },
      {
        code: 'INVALID_DETECTION',
        message:
          'Dropped one or more ill-formed detection regions with bounding box completely outside frame. (Frames: 5, 7)',
      },
    ]);
  });

  it('takes its track with it when it is the last one', () => {
    expect(dropIllFormed(track([{ frame: 0, box: [0, 0, 0, 0] }]), frame).track).to.equal(null);
  });

  it('is no matter of types that have no boxes', () => {
    expect(['SPEECH', 'sound', 'TEXT', 'TRANSLATION'].map(isExemptFromBoxChecks)).to.not.include(false);
    expect(isExemptFromBoxChecks('FACE')).to.equal(false);
  });
});

describe('Rotated boxes', () => {
  for (const { box: given, rotation, corners } of vectors.rotatedBoxes.cases) {
    it(`[${given.join()}] turned by ${rotation} lies where its text was drawn`, () => {
      const [topLeft, topRight, bottomRight, bottomLeft] = cornersInFrame(box(given), {
        rotation,
        flip: false,
      });
      const found = [bottomLeft, topLeft, topRight, bottomRight];
      for (const [index, [x, y]] of corners.entries()) {
        expect(found[index]?.x).to.be.closeTo(x, 1);
        expect(found[index]?.y).to.be.closeTo(y, 1);
      }
    });
  }
});

describe('Intersection over union', () => {
  it('is 1 for equal boxes, 0 for boxes apart or without area', () => {
    expect(iou(box([1, 2, 3, 4]), box([1, 2, 3, 4]))).to.equal(1);
    expect(iou(box([0, 0, 5, 5]), box([5, 0, 5, 5]))).to.equal(0);
    expect(iou(box([0, 0, 5, 0]), box([0, 0, 5, 5]))).to.equal(0);
  });
  it('is the common area over the covered area', () => {
    expect(iou(box([0, 0, 10, 10]), box([5, 0, 10, 10]))).to.be.closeTo(1 / 3, 1e-12);
  });
});
