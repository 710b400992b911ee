import { expect } from 'chai';
import { withVideo } from '../../models/recorded-media.ts';
import loadMotionDetector from '../../../../components/detectors/motion/detector.ts';
import type { FoundTrack, FrameSource } from '../../../../components/sdk/detector.ts';
import type { Properties } from '../../../../domain/types.ts';
import {
  acceptsBroken,
  all,
  descriptorOf,
  jobOf,
  noise,
  paintVideo,
  spans,
  type Colour,
} from '../../visual.ts';

async function motionsIn(source: FrameSource, properties: Properties = {}): Promise<FoundTrack[]> {
  const detector = await loadMotionDetector();
  return all(detector.video!(source, await jobOf('motion', properties)));
}

/** A wall with a fixed pattern and the noise of a camera sensor. */
function wall(x: number, y: number, frame: number, light = 0): Colour {
  const grey = 70 + light + 60 * noise(x >> 3, y >> 3, 7) + 6 * noise(x, y, frame);
  return [grey, grey, grey];
}

const BRIGHT: Colour = [240, 240, 240];
const within = (x: number, y: number, left: number, top: number, size: number): boolean =>
  x >= left && x < left + size && y >= top && y < top + size;

/** `isLong`: includes larger variations and other values of the same cases. */
export function motion({ isLong }: { readonly isLong: boolean }): void {
  describe('The motion detector on painted videos', () => {
    it('finds nothing where nothing moves', async () => {
      expect(await motionsIn(paintVideo({ frames: 60 }, wall))).to.deep.equal([]);
    });

    it('follows a thing from the frame in which it comes to the one in which it goes', async () => {
      const source = paintVideo({ frames: 60 }, (x, y, frame) =>
        frame >= 10 && frame < 50 && within(x, y, (frame - 10) * 3, 40, 24) ? BRIGHT : wall(x, y, frame),
      );
      const tracks = await motionsIn(source);
      expect(spans(tracks)).to.deep.equal([[10, 49]]);
      for (const { frame, x, y, width, height } of tracks[0]!.detections) {
        expect(x + width / 2).to.be.closeTo((frame - 10) * 3 + 12, 3);
        expect(y + height / 2).to.be.closeTo(52, 3);
      }
    });

    it('finds the same in a frame larger than its working size', async () => {
      const source = paintVideo({ frames: 30, width: 640, height: 360 }, (x, y, frame) =>
        frame >= 10 && within(x, y, (frame - 10) * 12, 160, 96) ? BRIGHT : wall(x >> 2, y >> 2, frame),
      );
      const tracks = await motionsIn(source);
      expect(spans(tracks)).to.deep.equal([[10, 29]]);
      const { x, y, width, height } = tracks[0]!.detections.at(-1)!;
      expect(x).to.be.closeTo(228, 6);
      expect(y).to.be.closeTo(160, 6);
      expect(width).to.be.closeTo(96, 10);
      expect(height).to.be.closeTo(96, 10);
    });

    it('does not take a cut for motion, and soon sees what moves in the new scene', async () => {
      const source = paintVideo({ frames: 60 }, (x, y, frame) => {
        if (frame < 30) return wall(x, y, frame);
        return frame >= 40 && within(x, y, (frame - 40) * 3, 40, 24)
          ? BRIGHT
          : wall(x + 400, y + 1000, frame, 80);
      });
      const tracks = await motionsIn(source);
      expect(spans(tracks)).to.deep.equal([[40, 59]]);
      for (const { width, height } of tracks[0]!.detections)
        expect(Math.max(width, height)).to.be.at.most(28);
    });

    it('does not take a change of the light for motion, be it sudden or not', async () => {
      const sudden = paintVideo({ frames: 60 }, (x, y, frame) => wall(x, y, frame, frame >= 30 ? 50 : 0));
      const gradual = paintVideo({ frames: 60 }, (x, y, frame) =>
        wall(x, y, frame, 12 * Math.min(8, Math.max(0, frame - 30))),
      );
      expect(await motionsIn(sudden)).to.deep.equal([]);
      expect(await motionsIn(gradual)).to.deep.equal([]);
    });

    it('does not report the place from which a thing was taken away', async () => {
      const source = paintVideo({ frames: 90 }, (x, y, frame) =>
        frame < 20 && within(x, y, 60, 40, 24) ? BRIGHT : wall(x, y, frame),
      );
      expect(await motionsIn(source)).to.deep.equal([]);
    });

    it('leaves flicker of fewer frames than MIN_DETECTIONS out', async () => {
      const source = paintVideo({ frames: 40 }, (x, y, frame) =>
        frame >= 20 && frame < 24 && within(x, y, 60 + 6 * (frame - 20), 40, 24) ? BRIGHT : wall(x, y, frame),
      );
      expect(await motionsIn(source)).to.deep.equal([]);
      expect(spans(await motionsIn(source, { MIN_DETECTIONS: '4' }))).to.deep.equal([[20, 23]]);
    });

    it('leaves things out that are smaller than MIN_OBJECT_AREA', async () => {
      const source = paintVideo({ frames: 40 }, (x, y, frame) =>
        frame >= 10 && within(x, y, (frame - 10) * 3, 40, 12) ? BRIGHT : wall(x, y, frame),
      );
      expect(await motionsIn(source, { MIN_OBJECT_AREA: '2' })).to.deep.equal([]);
      expect(await motionsIn(source)).to.have.length(1);
    });

    it('knows from the warm-up what moves, and reports its range only', async () => {
      const source = paintVideo({ frames: 43, start: 40 }, (x, y, frame) =>
        frame >= 10 && within(x, y, (frame - 10) * 3, 40, 24) ? BRIGHT : wall(x, y, frame),
      );
      expect(spans(await motionsIn(source))).to.deep.equal([[40, 42]]);
    });

    it('stops when the job is cancelled', async () => {
      const job = { ...(await jobOf('motion')), signal: AbortSignal.abort(new Error('cancelled')) };
      const run = all((await loadMotionDetector()).video!(paintVideo({ frames: 9 }, wall), job));
      expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
    });
  });

  describe('The motion component', () => {
    it('knows videos only, live ones as well', async () => {
      expect(Object.keys(await loadMotionDetector())).to.deep.equal(['video', 'followsStreams']);
    });

    it('brings its pipeline', async () => {
      const { algorithm, actions, tasks, pipelines } = await descriptorOf('motion');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['MOTION', 'MOTION']);
      expect(pipelines.map(({ name }) => name)).to.deep.equal(['MOTION DETECTION PIPELINE']);
      expect(tasks.map(({ name }) => name)).to.deep.equal(pipelines[0]!.tasks);
      expect(actions.map(({ name }) => name)).to.deep.equal(tasks[0]!.actions);
    });

    it('refuses values that are no numbers', async () => {
      const detector = await loadMotionDetector();
      const source = paintVideo({ frames: 2 }, wall);
      // The server, not the component, reads this property when it splits a video into sub-jobs.
      expect(await acceptsBroken('motion', (job) => detector.video!(source, job))).to.deep.equal([
        'CONTEXT_FRAMES',
      ]);
    });
  });

  describe('The motion detector on recorded videos', () => {
    it('follows the picture that moves through face_move.mp4, while it is there', async () => {
      const tracks = await withVideo('face_move.mp4', {}, (video) => motionsIn(video));
      expect(spans(tracks)).to.deep.equal([[10, 89]]);
      expect(tracks[0]!.detections).to.have.length(80);
      for (const { frame, x, y, width, height } of tracks[0]!.detections) {
        expect(x).to.be.closeTo(20 + 4 * (frame - 10), 8);
        expect([width, height]).to.deep.equal([220, 240]);
        expect(y).to.equal(60);
      }
    });

    if (isLong)
      it('goes on with it in a segment that begins in the middle, after a warm-up', async () => {
        const options = { range: { start: 60, stop: 99 }, contextFrames: 50 };
        const tracks = await withVideo('face_move.mp4', options, (video) => motionsIn(video));
        expect(spans(tracks)).to.deep.equal([[60, 89]]);
      });

    if (isLong)
      it('sees the clock move from frame 31 on, and nothing before', async () => {
        const tracks = await withVideo('ff-exact-region-object-motion.avi', {}, (video) => motionsIn(video));
        expect(Math.min(...spans(tracks).map(([start]) => start))).to.equal(31);
        const clock = tracks.reduce((a, b) => (a.detections.length > b.detections.length ? a : b));
        expect(clock.detections.length).to.be.at.least(100);
        const { x, y, width, height } = clock.detections.find(({ frame }) => frame === 80)!;
        expect(x + width).to.be.at.most(160);
        expect(y + height).to.be.at.least(140);
      });

    if (isLong)
      it('takes the cuts of scenes_pd.mp4 for no motion', async () => {
        expect(await withVideo('scenes_pd.mp4', {}, (video) => motionsIn(video))).to.deep.equal([]);
      });
  });
}
