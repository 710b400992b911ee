import { expect } from 'chai';
import { labelMoving, movingRule } from '../../../domain/tracks/moving-tracks.ts';
import {
  aboveThreshold,
  exemplarOf,
  qualityOf,
  qualityRule,
  topQuality,
} from '../../../domain/tracks/quality.ts';
import type { Track } from '../../../domain/types.ts';
import { track, vectors } from '../support.ts';

function text(value: boolean): string {
  return String(value).toUpperCase();
}

const rateTrack = (values: readonly (string | undefined)[]): Track =>
  track(values.map((v, frame) => ({ frame, properties: v === undefined ? {} : { SIZE: v } })));

describe('Labels of moving tracks', () => {
  for (const { boxes, maxIou, minDetections, moving, track: moves } of vectors.moving.cases) {
    it(`say ${moving.join()} of the detections and ${moves} of the track of ${boxes.length} boxes`, () => {
      const rule = movingRule({
        MOVING_TRACK_LABELS_ENABLED: 'TRUE',
        ...(maxIou === undefined ? {} : { MOVING_TRACK_MAX_IOU: String(maxIou) }),
        ...(minDetections === undefined ? {} : { MOVING_TRACK_MIN_DETECTIONS: String(minDetections) }),
      });
      if (rule === null) throw new Error('not enabled');
      const given = track(boxes.map((b, frame) => ({ frame, box: b })));
      const labelled = labelMoving(given, rule);
      expect(labelled?.detections.map((d) => d.properties['MOVING'])).to.deep.equal(moving.map(text));
      expect(labelled?.properties['MOVING']).to.equal(text(moves));
    });
  }

  it('are not given unless they are asked for', () => {
    expect(movingRule({})).to.equal(null);
  });
  it('drop a track that stands still when only moving ones are wanted', () => {
    const rule = movingRule({ MOVING_TRACK_LABELS_ENABLED: 'true', MOVING_TRACKS_ONLY: 'true' });
    if (rule === null) throw new Error('not enabled');
    expect(labelMoving(track([{ frame: 0 }, { frame: 1 }]), rule)).to.equal(null);
  });
});

describe('Quality', () => {
  for (const { detections, exemplarFrame, top3 } of vectors.topQuality.cases) {
    const given = track(detections.map(([frame, confidence]) => ({ frame, confidence })));
    it(`of ${detections.length} detections makes frame ${exemplarFrame} the exemplar`, () => {
      expect(exemplarOf(given, 'QUALITY', 'CONFIDENCE').frame).to.equal(exemplarFrame);
    });
    if (top3 === undefined) continue;
    it(`puts frames ${top3.join()} above the others`, () => {
      expect(topQuality(given.detections, 3, 'CONFIDENCE').map((d) => d.frame)).to.deep.equal(top3);
    });
  }

  it('is the number in the named property, and nothing at all when that is no number', () => {
    const { detections } = rateTrack(['7.5', 'big', undefined, '']);
    expect(detections.map((d) => qualityOf(d, 'SIZE'))).to.deep.equal([7.5, -Infinity, -Infinity, -Infinity]);
  });
  it('selects all detections when the count is 0 or less, or larger than the track', () => {
    const { detections } = rateTrack(['1', '2']);
    expect(topQuality(detections, 0, 'SIZE')).to.equal(detections);
    expect(topQuality(detections, 9, 'SIZE')).to.equal(detections);
  });
  it('prefers the lowest frames among equals', () => {
    expect(topQuality(rateTrack(['1', '1', '1']).detections, 2, 'SIZE').map((d) => d.frame)).to.deep.equal([
      0, 1,
    ]);
    expect(topQuality(rateTrack(['x', 'y', 'z']).detections, 1, 'SIZE').map((d) => d.frame)).to.deep.equal([
      0,
    ]);
  });

  it('is not limited by default', () => {
    const given = rateTrack([undefined]);
    expect(qualityRule({})).to.deep.equal({ property: 'CONFIDENCE', threshold: -Infinity });
    expect(aboveThreshold(given, { property: 'SIZE', threshold: -Infinity }, 'VIDEO')).to.equal(given);
  });
  it('below the threshold drops detections, and the track with the last of them', () => {
    const kept = aboveThreshold(
      rateTrack(['1', '5', undefined]),
      { property: 'SIZE', threshold: 3 },
      'VIDEO',
    );
    expect(kept?.detections.map((d) => d.frame)).to.deep.equal([1]);
    expect(aboveThreshold(rateTrack(['1', 'x']), { property: 'SIZE', threshold: 3 }, 'IMAGE')).to.equal(null);
  });
  it('of a video track itself counts only when the track has the property', () => {
    const rule = { property: 'SIZE', threshold: 3 };
    const given = rateTrack(['5']);
    expect(aboveThreshold(given, rule, 'VIDEO')).to.not.equal(null);
    expect(aboveThreshold({ ...given, properties: { SIZE: '2' } }, rule, 'VIDEO')).to.equal(null);
    expect(aboveThreshold({ ...given, confidence: 0.1 }, { property: '', threshold: 0.3 }, 'VIDEO')).to.equal(
      null,
    );
  });
});

describe('EXEMPLAR_POLICY', () => {
  const given = track([
    { frame: 10, confidence: 0.1 },
    { frame: 14, confidence: 0.2 },
    { frame: 16, confidence: 0.9 },
    { frame: 20, confidence: 0.3 },
  ]);
  const expected: Readonly<Record<string, number>> = {
    FIRST: 10,
    LAST: 20,
    MIDDLE: 14,
    QUALITY: 16,
    whatever: 16,
    first: 10,
  };
  for (const [policy, frame] of Object.entries(expected)) {
    it(`${policy} selects frame ${frame}`, () => {
      expect(exemplarOf(given, policy, 'CONFIDENCE').frame).to.equal(frame);
    });
  }
});
