import { expect } from 'chai';
import type { FoundDetection } from '../../../components/sdk/detector.ts';
import { centreDistance, clip } from '../../../components/shared/tracking/boxes.ts';
import { choiceOf, countOf, numberWithin } from '../../../components/shared/tracking/settings.ts';
import { Tracker, type TrackingRules } from '../../../components/shared/tracking/tracker.ts';
import { iou } from '../../../domain/geometry/geometry.ts';

const rules: TrackingRules = { minOverlap: 0.3, maxDistance: 0.8, maxGap: 2, startConfidence: 0.8 };

function detectionAt(frame: number, x: number, confidence = 0.9, width = 40): FoundDetection {
  return { frame, x, y: 100, width, height: width, confidence };
}

/** Runs a tracker over frames 0, 1, ... and returns the tracks as lists of [frame, x]. */
function track(frames: readonly FoundDetection[][], over: Partial<TrackingRules> = {}): [number, number][][] {
  const tracker = new Tracker({ ...rules, ...over });
  const ended = frames.flatMap((detections, frame) => tracker.next(frame, detections));
  return [...ended, ...tracker.finish()].map(({ detections }) =>
    detections.map(({ frame, x }) => [frame, x]),
  );
}

describe('Boxes', () => {
  it('overlap by intersection over union', () => {
    const box = { x: 0, y: 0, width: 10, height: 10 };
    expect(iou(box, box)).to.equal(1);
    expect(iou(box, { ...box, x: 5 })).to.be.closeTo(1 / 3, 1e-9);
    expect(iou(box, { ...box, x: 10 })).to.equal(0);
  });

  it('lie apart by their centres in units of their sides', () => {
    const box = { x: 0, y: 0, width: 10, height: 10 };
    expect(centreDistance(box, { ...box, x: 20 })).to.equal(2);
  });

  it('are cut off at the border of the picture, in whole pixels', () => {
    expect(clip({ x: -5.4, y: 2.6, width: 20, height: 200 }, 100, 50)).to.deep.equal({
      x: 0,
      y: 3,
      width: 15,
      height: 47,
    });
    expect(clip({ x: 100, y: 0, width: 10, height: 10 }, 100, 50)).to.equal(undefined);
  });
});

describe('The tracker', () => {
  it('joins what overlaps from frame to frame', () => {
    expect(track([[detectionAt(0, 0)], [detectionAt(1, 10)], [detectionAt(2, 20)]])).to.deep.equal([[[0, 0], [1, 10], [2, 20]]]); // oxfmt-ignore
  });

  it('keeps two that come close apart by their motion', () => {
    const frames = Array.from({ length: 9 }, (_, i) => [
      detectionAt(i, i * 12),
      detectionAt(i, 100 - i * 12),
    ]);
    const tracks = track(frames);
    expect(tracks).to.have.length(2);
    expect(tracks[0]!.map(([, x]) => x)).to.deep.equal(Array.from({ length: 9 }, (_, i) => i * 12));
  });

  it('bridges a gap of maxGap frames and no longer one', () => {
    const bridged = track([[detectionAt(0, 0)], [], [], [detectionAt(3, 0)]]);
    const broken = track([[detectionAt(0, 0)], [], [], [], [detectionAt(4, 0)]]);
    expect(bridged).to.deep.equal([[[0, 0], [3, 0]]]); // oxfmt-ignore
    expect(broken).to.deep.equal([[[0, 0]], [[4, 0]]]);
  });

  it('hands a track out as soon as it has ended', () => {
    const tracker = new Tracker(rules);
    tracker.next(0, [detectionAt(0, 0)]);
    expect([1, 2].flatMap((frame) => tracker.next(frame, []))).to.deep.equal([]);
    expect(tracker.next(3, [])).to.deep.equal([{ detections: [detectionAt(0, 0)] }]);
    expect(tracker.finish()).to.deep.equal([]);
  });

  it('joins what no longer overlaps by the distance of the centres, unless that is switched off', () => {
    const jump = [[detectionAt(0, 0)], [detectionAt(1, 30)]];
    expect(track(jump)).to.have.length(1);
    expect(track(jump, { maxDistance: 0 })).to.have.length(2);
  });

  it('does not join near boxes of very unlike sizes', () => {
    expect(track([[detectionAt(0, 0)], [detectionAt(1, 25, 0.9, 100)]])).to.have.length(2);
  });

  it('foretells where a fast one is after a gap', () => {
    const frames = [[detectionAt(0, 0)], [detectionAt(1, 30)], [], [detectionAt(3, 90)]];
    expect(track(frames)).to.deep.equal([[[0, 0], [1, 30], [3, 90]]]); // oxfmt-ignore
  });

  it('lets weak detections go on with a track but start none', () => {
    expect(track([[detectionAt(0, 0, 0.6)], [detectionAt(1, 0, 0.9)], [detectionAt(2, 2, 0.6)]])).to.deep.equal([[[1, 0], [2, 2]]]); // oxfmt-ignore
  });

  it('does not let a track wander off to something weak beside it', () => {
    expect(track([[detectionAt(0, 0, 0.9)], [detectionAt(1, 18, 0.6)]])).to.deep.equal([[[0, 0]]]);
  });

  it('prefers the better overlap to the earlier detection', () => {
    expect(track([[detectionAt(0, 0)], [detectionAt(1, 15), detectionAt(1, 1)]])).to.deep.equal([[[0, 0], [1, 1]], [[1, 15]]]); // oxfmt-ignore
  });
});

describe('Settings', () => {
  const codeOf = (read: () => unknown): string => {
    try {
      read();
      return 'accepted';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('are numbers within their bounds', () => {
    expect(numberWithin({ A: '0.5' }, 'A', 0, 1)).to.equal(0.5);
    expect(codeOf(() => numberWithin({ A: '1.5' }, 'A', 0, 1))).to.equal('INVALID_PROPERTY');
    expect(codeOf(() => numberWithin({ A: 'x' }, 'A', 0, 1))).to.equal('INVALID_PROPERTY');
    expect(codeOf(() => numberWithin({}, 'A', 0, 1))).to.equal('MISSING_PROPERTY');
  });

  it('are whole numbers where things are counted', () => {
    expect(countOf({ A: '3' }, 'A', 1)).to.equal(3);
    expect(codeOf(() => countOf({ A: '2.5' }, 'A', 1))).to.equal('INVALID_PROPERTY');
    expect(codeOf(() => countOf({ A: '0' }, 'A', 1))).to.equal('INVALID_PROPERTY');
    expect(codeOf(() => countOf({ A: 'Infinity' }, 'A', 1))).to.equal('INVALID_PROPERTY');
  });

  it('are words of a choice in any case', () => {
    const words = ['NEVER', 'ALWAYS'] as const;
    expect(choiceOf({ A: ' never' }, 'A', words)).to.equal('NEVER');
    expect(codeOf(() => choiceOf({ A: 'often' }, 'A', words))).to.equal('INVALID_PROPERTY');
    expect(codeOf(() => choiceOf({}, 'A', words))).to.equal('MISSING_PROPERTY');
  });
});
