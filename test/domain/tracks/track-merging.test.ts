import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  isTooShort,
  mergeGroups,
  mergePlan,
  trackEnds,
  uniteTracks,
  type TrackEnds,
} from '../../../domain/tracks/track-merging.ts';
import type { Properties, Track } from '../../../domain/types.ts';
import { box, track, vectors, type Quad } from '../support.ts';

const sample: readonly Track[] = vectors.trackMerging.tracks.map((t) => {
  const whole: Quad = t.box ?? [0, 0, 0, 0];
  return track([
    { frame: t.start, box: t.firstBox ?? whole },
    { frame: t.stop, box: t.lastBox ?? whole },
  ]);
});

function mergeTracks(tracks: readonly Track[], rule: { gap: number; minOverlap: number }): readonly Track[] {
  return mergeGroups(tracks.map(trackEnds), rule).map((group) =>
    group.flatMap((index) => tracks[index] ?? []).reduce(uniteTracks),
  );
}

const end = (startFrame: number, stopFrame: number, more: Partial<TrackEnds> = {}): TrackEnds => ({
  type: 'FACE',
  startFrame,
  stopFrame,
  firstBox: box([0, 0, 10, 10]),
  lastBox: box([0, 0, 10, 10]),
  ...more,
});

/** Reference implementation of the rule: tries every pair in turn. */
function slowGroups(ends: readonly TrackEnds[], gap: number): number[][] {
  let rest = ends
    .map((e, index) => ({ e, index }))
    .toSorted(
      (a, b) => a.e.startFrame - b.e.startFrame || a.e.stopFrame - b.e.stopFrame || a.index - b.index,
    );
  const groups: number[][] = [];
  while (rest[0] !== undefined) {
    const group = [rest[0]];
    rest = rest.slice(1);
    for (;;) {
      const last = group.at(-1)?.e;
      const next = rest.find(({ e }) => {
        const distance = e.startFrame - (last?.stopFrame ?? 0);
        const near = distance === 1 || (distance > 0 && gap - 1 >= distance);
        const overlap = Math.max(0, 10 - Math.abs((last?.lastBox.x ?? 0) - e.firstBox.x)) * 10;
        return e.type === last?.type && near && overlap / (200 - overlap) >= 0.3;
      });
      if (next === undefined) break;
      group.push(next);
      rest = rest.filter((other) => other !== next);
    }
    groups.push(group.map(({ index }) => index));
  }
  return groups;
}

const asEnds = (given: { startFrame: number; length: number; x: number; type: string }[]): TrackEnds[] =>
  given.map(({ startFrame, length, x, type }) =>
    end(startFrame, startFrame + length, {
      type,
      firstBox: box([x, 0, 10, 10]),
      lastBox: box([20 - x, 0, 10, 10]),
    }),
  );

describe('Track merging', () => {
  for (const { mediaType = 'VIDEO', merge, gap, minLength, count } of vectors.trackMerging.cases) {
    it(`of ${mediaType} with MERGE_TRACKS=${merge}, gap ${gap}, length ${minLength} leaves ${count} of 5 tracks`, () => {
      const properties: Properties = {
        MERGE_TRACKS: String(merge),
        ...(gap === undefined ? {} : { MIN_GAP_BETWEEN_TRACKS: String(gap) }),
        ...(minLength === undefined ? {} : { MIN_TRACK_LENGTH: String(minLength) }),
      };
      const plan = mergePlan(properties, mediaType, 'FACE');
      const tracks = plan.merge === null ? sample : mergeTracks(sample, plan.merge);
      expect(tracks.filter((t) => !isTooShort(t, plan.minLength))).to.have.length(count);
    });
  }

  it('leaves SPEECH, SCENE and SOUND alone', () => {
    for (const type of ['SPEECH', 'scene', 'SOUND']) {
      const plan = mergePlan({ MERGE_TRACKS: 'TRUE', MIN_TRACK_LENGTH: '100' }, 'VIDEO', type);
      expect(plan).to.deep.equal({ merge: null, minLength: 1 });
    }
  });

  it('keeps equal properties, lists different ones and takes the higher confidence', () => {
    const { a, b, confidence, out, outConfidence } = vectors.trackMerging.mergedProperties;
    const united = uniteTracks(
      track([{ frame: 1 }], { properties: a, confidence: confidence[0] }),
      track([{ frame: 2 }], { properties: b, confidence: confidence[1] }),
    );
    expect(united.properties).to.deep.equal(out);
    expect(united.confidence).to.equal(outConfidence);
    expect(united).to.include({ startFrame: 1, stopFrame: 2, startTime: 100, stopTime: 200 });
    expect(united.detections.map((d) => d.frame)).to.deep.equal([1, 2]);
  });

  const rule = { gap: 2, minOverlap: 0.6 };

  it('joins a whole chain and prefers the earliest track that fits, in any order of the tracks', () => {
    const ends = [end(20, 29), end(0, 9), end(10, 19), end(10, 15)];
    expect(mergeGroups(ends, rule)).to.deep.equal([
      [1, 3],
      [2, 0],
    ]);
  });
  it('never joins tracks of different types', () => {
    expect(mergeGroups([end(0, 9), end(10, 19, { type: 'TEXT' })], rule)).to.have.length(2);
    expect(mergeGroups([end(0, 9), end(10, 19, { type: 'face' })], rule)).to.have.length(1);
  });
  it('joins tracks of type CLASS only when their classification is the same, ignoring case', () => {
    const a = end(0, 9, { type: 'CLASS', firstClassification: 'dog', lastClassification: 'car' });
    const b = (name: string): TrackEnds => end(10, 19, { type: 'CLASS', firstClassification: name });
    expect(mergeGroups([a, b('CAR')], rule)).to.have.length(1);
    expect(mergeGroups([a, b('dog')], rule)).to.have.length(2);
  });
  it('joins boxes that do not touch only when MIN_OVERLAP is 0 or less, and empty boxes never', () => {
    const apart = end(10, 19, { firstBox: box([500, 0, 10, 10]) });
    const empty = end(10, 19, { firstBox: box([0, 0, 0, 10]) });
    expect(mergeGroups([end(0, 9), apart], rule)).to.have.length(2);
    expect(mergeGroups([end(0, 9), apart], { gap: 2, minOverlap: 0 })).to.have.length(1);
    expect(mergeGroups([end(0, 9), empty], { gap: 2, minOverlap: 0 })).to.have.length(2);
  });

  const someEnds = fc.array(
    fc.record({
      startFrame: fc.nat(60),
      length: fc.nat(20),
      x: fc.nat(20),
      type: fc.constantFrom('FACE', 'TEXT'),
    }),
    { maxLength: 40 },
  );

  it('puts every track into exactly one group, in the order of its frames', () => {
    fc.assert(
      fc.property(someEnds, fc.integer({ min: 0, max: 20 }), (given, gap) => {
        const ends = asEnds(given);
        const groups = mergeGroups(ends, { gap, minOverlap: 0.3 });
        expect(groups.flat().toSorted((a, b) => a - b)).to.deep.equal(ends.map((_, index) => index));
        for (const group of groups) {
          for (const [i, index] of group.slice(1).entries()) {
            expect(ends[index]?.startFrame).to.be.greaterThan(ends[group[i] ?? -1]?.stopFrame ?? Infinity);
          }
        }
      }),
    );
  });

  it('finds the groups that trying every pair in turn finds', () => {
    fc.assert(
      fc.property(someEnds, fc.integer({ min: 0, max: 20 }), (given, gap) => {
        const ends = asEnds(given);
        expect(mergeGroups(ends, { gap, minOverlap: 0.3 })).to.deep.equal(slowGroups(ends, gap));
      }),
    );
  });

  it('takes no more than seconds for 100,000 tracks', function () {
    this.timeout(240_000);
    const ends = Array.from({ length: 100_000 }, (_, i) => {
      const place = box([(i % 100) * 20, 0, 10, 10]);
      const segment = Math.floor(i / 100);
      return end(segment * 200, segment * 200 + 199, { firstBox: place, lastBox: place });
    });
    expect(mergeGroups(ends, { gap: 2, minOverlap: 0.6 })).to.have.length(100);
  });

  it('drops tracks that span fewer frames than MIN_TRACK_LENGTH', () => {
    expect(isTooShort({ startFrame: 5, stopFrame: 8 }, 5)).to.equal(true);
    expect(isTooShort({ startFrame: 5, stopFrame: 9 }, 5)).to.equal(false);
  });
});
