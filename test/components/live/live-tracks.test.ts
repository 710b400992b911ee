import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FoundDetection, FoundTrack } from '../../../components/sdk/detector.ts';
import { BarcodeTracks } from '../../../components/detectors/barcodes/tracks.ts';
import { SceneTracks } from '../../../components/detectors/scenes/scene-tracks.ts';
import { TextTracks } from '../../../components/detectors/text/text-tracks.ts';
import type { TextLine } from '../../../components/detectors/text/read-picture.ts';
import { asTrack } from '../../../components/shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../../components/shared/tracking/tracker.ts';
import { HeardJob, joinParts } from './live-job.ts';
import { noise } from '../visual.ts';

const rules: TrackingRules = { minOverlap: 0.3, maxDistance: 0.8, maxGap: 2, startConfidence: 0.8 };

const detectionAt = (frame: number, x: number): FoundDetection => {
  return { frame, x, y: 100, width: 40, height: 40, confidence: 0.9 };
};

/** Two objects that pass each other, one that is hidden at times, and one that appears and disappears. */
function scenery(frame: number): FoundDetection[] {
  return [
    detectionAt(frame, frame * 3),
    detectionAt(frame, 900 - frame * 3),
    ...(frame % 7 === 0 ? [] : [{ ...detectionAt(frame, 2000), y: 400 }]),
    ...(frame % 40 < 20 ? [{ ...detectionAt(frame, 3000 + noise(frame, 1, 2)), y: 800 }] : []),
  ];
}

function followTracks(frames: number, segment: number, job?: HeardJob): FoundTrack[] {
  const tracker = new Tracker(rules, { live: job });
  const parts: FoundTrack[] = [];
  for (let frame = 0; frame < frames; frame++) {
    if (frame > 0 && frame % segment === 0) parts.push(...tracker.cut().map(asTrack));
    parts.push(...tracker.next(frame, scenery(frame)).map(asTrack));
  }
  return [...parts, ...tracker.finish().map(asTrack)];
}

const byStart = (tracks: readonly FoundTrack[]): FoundTrack[] =>
  tracks.toSorted(
    (a, b) => a.detections[0]!.frame - b.detections[0]!.frame || a.detections[0]!.x - b.detections[0]!.x,
  );

describe('Tracks of a live stream', () => {
  for (const segment of [10, 33, 100])
    it(`are the same over borders every ${segment} frames as without any`, () => {
      const whole = followTracks(250, Infinity);
      expect(byStart(joinParts(followTracks(250, segment, new HeardJob())))).to.deep.equal(byStart(whole));
    });

  it('say in each part who they are and whether they go on', () => {
    const parts = followTracks(30, 10, new HeardJob()).filter(({ detections }) => detections[0]!.x < 100);
    expect(parts.map(({ liveId, open }) => [liveId, open])).to.deep.equal([
      ['t0', true],
      ['t0', true],
      ['t0', false],
    ]);
  });

  it('begin and end once each, however many borders they cross', () => {
    const job = new HeardJob();
    followTracks(250, 10, job);
    expect(job.began).to.have.length(new Set(job.began).size).above(3);
    expect(job.over.toSorted()).to.deep.equal(job.began.toSorted());
  });

  it('are told of only when they have as many detections as it takes, from then on', () => {
    const job = new HeardJob();
    const tracker = new Tracker(rules, { live: job, minDetections: 3 });
    tracker.next(0, [detectionAt(0, 0)]);
    tracker.next(1, [detectionAt(1, 0)]);
    expect([tracker.cut(), job.began]).to.deep.equal([[], []]);
    tracker.next(2, [detectionAt(2, 0)]);
    expect(job.began).to.deep.equal(['t0']);
    expect(tracker.cut()).to.deep.equal([{ detections: [detectionAt(2, 0)], liveId: 't0', open: true }]);
  });

  it('have no part in a segment in which nothing of them was found', () => {
    const tracker = new Tracker(rules, { live: new HeardJob() });
    tracker.next(0, [detectionAt(0, 0)]);
    expect(tracker.cut()).to.have.length(1);
    tracker.next(1, []);
    expect(tracker.cut()).to.deep.equal([]);
    expect([2, 3].flatMap((frame) => tracker.next(frame, []))).to.deep.equal([]);
  });

  it('take no more memory the longer they last', function () {
    this.timeout(240_000);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const tracker = new Tracker(rules, { live: new HeardJob() });
    const parked = Array.from({ length: 4 }, (_, i) => i * 200);
    let most = 0;
    let frame = 0;
    const watch = (until: number): number => {
      for (; frame < until; frame++) {
        if (frame % 1000 === 0) most = Math.max(most, ...tracker.cut().map((part) => part.detections.length));
        tracker.next(
          frame,
          parked.map((x) => detectionAt(frame, x)),
        );
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const early = watch(20_000);
    const late = watch(80_000);
    expect(most).to.equal(1000);
    // Half the size of a list with one number for each box.
    expect(late - early).to.be.below(60_000 * parked.length * 4);
  });
});

describe('Barcodes of a live stream', () => {
  it('are the same tracks over borders', () => {
    const code = { text: '4006381333931', format: 'EAN13', x: 10, y: 10, width: 50, height: 20 };
    const follow = (border: number, live?: HeardJob): FoundTrack[] => {
      const tracks = new BarcodeTracks(3, { live });
      const parts: FoundTrack[] = [];
      for (let frame = 0; frame < 50; frame++) {
        if (frame > 0 && frame % border === 0) parts.push(...tracks.cut());
        parts.push(...tracks.next(frame, frame % 20 < 14 ? [{ ...code, x: 10 + frame }] : []));
      }
      return [...parts, ...tracks.end()];
    };
    expect(joinParts(follow(10, new HeardJob()))).to.deep.equal(follow(Infinity));
  });
});

describe('Text of a live stream', () => {
  const line = (text: string, confidence: number): TextLine => {
    const box = { x: 20, y: 30, width: 100, height: 20 };
    return { text, confidence, direction: 0, placed: { ...box, rotation: 0 }, ...box };
  };

  it('keeps its best reading over borders', () => {
    const job = new HeardJob();
    const tracks = new TextTracks(0.8, { live: job });
    tracks.next(0, [line('PLATFORM NINE', 0.99)]);
    const first = tracks.cut();
    tracks.next(1, [line('PLATFORM NIME', 0.7)]);
    const second = tracks.cut();
    const last = tracks.next(2, []);
    const told = [...first, ...second].map((part) => [part.liveId, part.properties, part.confidence]);
    expect(told).to.deep.equal([
      ['t0', { TEXT: 'PLATFORM NINE' }, 0.99],
      ['t0', { TEXT: 'PLATFORM NINE' }, 0.99],
    ]);
    expect([last, job.over]).to.deep.equal([[], ['t0']]);
  });
});

describe('Scenes of a live stream', () => {
  const frame = (index: number) => ({
    index,
    time: 0,
    width: 64,
    height: 36,
    data: new Uint8Array(),
    warmUp: false,
  });

  function span(parts: readonly FoundTrack[]): unknown[] {
    return parts.map(({ liveId, startFrame, stopFrame, open }) => [liveId, startFrame, stopFrame, open]);
  }

  it('lie in each segment with their part of it', () => {
    const scenes = new SceneTracks(0, new HeardJob());
    for (let index = 0; index < 20; index++) scenes.look(frame(index));
    const parts = [...scenes.cut(9), ...scenes.begin({ frame: 15, unlikeness: 0.6 }), ...scenes.cut(19)];
    expect(span(parts)).to.deep.equal([
      ['t0', 0, 9, true],
      ['t0', 10, 14, false],
      ['t1', 15, 19, true],
    ]);
  });

  it('begin at the border when their cut was believed only after it', () => {
    const scenes = new SceneTracks(0, new HeardJob());
    for (let index = 0; index < 14; index++) scenes.look(frame(index));
    const parts = [...scenes.cut(9), ...scenes.begin({ frame: 6, unlikeness: 0.6 }), ...scenes.cut(19)];
    expect(span(parts)).to.deep.equal([
      ['t0', 0, 9, true],
      ['t1', 10, 19, true],
    ]);
  });
});
