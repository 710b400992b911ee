import { expect } from 'chai';
import { withVideo } from '../models/recorded-media.ts';
import loadSceneDetector from '../../../components/detectors/scenes/detector.ts';
import type { FrameSource } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { acceptsBroken, all, descriptorOf, jobOf, noise, paintVideo, spans, type Colour } from '../visual.ts';

async function scenesOf(source: FrameSource, properties: Properties = {}): Promise<[number, number][]> {
  const detector = await loadSceneDetector();
  return spans(await all(detector.video!(source, await jobOf('scenes', properties))));
}

/** Coloured tiles. A different seed gives a different scene. */
function tiles(seed: number, x: number, y: number): Colour {
  const [column, row] = [x >> 4, y >> 4];
  const level = (channel: number): number => Math.floor(noise(column, row, seed * 3 + channel) * 256);
  return [level(0), level(1), level(2)];
}

describe('The scene detector on painted videos', () => {
  it('answers one track for a video of one scene', async () => {
    const tracks = await all(
      (await loadSceneDetector()).video!(
        paintVideo({ frames: 30 }, (x, y) => tiles(1, x, y)),
        await jobOf('scenes'),
      ),
    );
    expect(tracks).to.deep.equal([
      {
        startFrame: 0,
        stopFrame: 29,
        confidence: 1,
        detections: [{ frame: 14, x: 0, y: 0, width: 160, height: 96, confidence: 1 }],
      },
    ]);
  });

  it('cuts exactly where the scene changes', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) =>
      tiles(frame < 20 ? 1 : frame < 45 ? 2 : 3, x, y),
    );
    expect(await scenesOf(source)).to.deep.equal([[0, 19], [20, 44], [45, 59]]); // oxfmt-ignore
  });

  it('does not cut at a flash', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) =>
      frame === 20 || frame === 21 ? [255, 255, 255] : tiles(1, x, y),
    );
    expect(await scenesOf(source)).to.deep.equal([[0, 59]]);
    expect(await scenesOf(source, { MIN_SCENE_LENGTH: '1' })).to.have.length(3);
  });

  it('does not cut where a camera moves fast all the time', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) => tiles(1, x + frame * 8, y));
    expect(await scenesOf(source)).to.deep.equal([[0, 59]]);
  });

  it('does not cut where a camera begins to move', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) => tiles(1, x + Math.max(0, frame - 30) * 10, y));
    expect(await scenesOf(source)).to.deep.equal([[0, 59]]);
  });

  it('cuts at the largest jump of a transition', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) => {
      if (frame >= 30 && frame < 33) return x < 80 ? [255, 255, 255] : tiles(1, x, y);
      return tiles(frame < 33 ? 1 : 2, x, y);
    });
    expect(await scenesOf(source)).to.deep.equal([[0, 32], [33, 59]]); // oxfmt-ignore
  });

  it('finds scenes of just the least length, one after the other', async () => {
    const source = paintVideo({ frames: 50 }, (x, y, frame) => tiles(Math.floor(frame / 10), x, y));
    expect(await scenesOf(source)).to.deep.equal([[0, 9], [10, 19], [20, 29], [30, 39], [40, 49]]); // oxfmt-ignore
  });

  it('does not cut where a thing comes in or the light goes up a little', async () => {
    const source = paintVideo({ frames: 60 }, (x, y, frame) => {
      if (frame >= 20 && x > 30 && x < 110 && y > 20 && y < 70) return [250, 20, 20];
      const light = frame >= 40 ? 20 : 0;
      const [red, green, blue] = tiles(1, x, y);
      return [Math.min(255, red + light), Math.min(255, green + light), Math.min(255, blue + light)];
    });
    expect(await scenesOf(source)).to.deep.equal([[0, 59]]);
  });

  it('covers the whole range without a hole when frames are left out', async () => {
    const source = paintVideo({ frames: 63, interval: 5 }, (x, y, frame) => tiles(frame < 30 ? 1 : 2, x, y));
    expect(await scenesOf(source)).to.deep.equal([[0, 29], [30, 62]]); // oxfmt-ignore
  });

  it('begins its first scene with the range and not within the warm-up', async () => {
    const source = paintVideo({ frames: 60, start: 30 }, (x, y, frame) => tiles(frame < 25 ? 1 : 2, x, y));
    expect(await scenesOf(source)).to.deep.equal([[30, 59]]);
  });

  it('answers a scene as soon as the next has begun', async () => {
    let shown = 0;
    const source = paintVideo({ frames: 200 }, (x, y, frame) => {
      shown = frame;
      return tiles(frame < 20 ? 1 : 2, x, y);
    });
    for await (const track of (await loadSceneDetector()).video!(source, await jobOf('scenes'))) {
      expect(track.stopFrame).to.equal(19);
      break;
    }
    expect(shown).to.equal(30);
  });

  it('answers nothing for a range without frames', async () => {
    expect(await scenesOf(paintVideo({ frames: 0 }, () => [0, 0, 0]))).to.deep.equal([]);
  });

  it('stops when the job is cancelled', async () => {
    const job = { ...(await jobOf('scenes')), signal: AbortSignal.abort(new Error('cancelled')) };
    const run = all(
      (await loadSceneDetector()).video!(
        paintVideo({ frames: 9 }, () => [0, 0, 0]),
        job,
      ),
    );
    expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
  });
});

describe('The scene component', () => {
  it('knows videos only, live ones as well', async () => {
    expect(Object.keys(await loadSceneDetector())).to.deep.equal(['video', 'followsStreams']);
  });

  it('brings its pipeline, which does not cut videos into segments', async () => {
    const { algorithm, actions, tasks, pipelines } = await descriptorOf('scenes');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['SCENE CHANGE', 'SCENE']);
    expect(pipelines.map(({ name }) => name)).to.deep.equal(['SCENE CHANGE DETECTION PIPELINE']);
    expect(tasks.map(({ name }) => name)).to.deep.equal(pipelines[0]!.tasks);
    expect(actions.map(({ name }) => name)).to.deep.equal(tasks[0]!.actions);
    expect(actions[0]!.properties).to.deep.equal([
      { name: 'TARGET_SEGMENT_LENGTH', value: '0' },
      { name: 'VFR_TARGET_SEGMENT_LENGTH', value: '0' },
    ]);
  });

  it('refuses values that are no numbers', async () => {
    const detector = await loadSceneDetector();
    const source = paintVideo({ frames: 2 }, () => [0, 0, 0]);
    expect(await acceptsBroken('scenes', (job) => detector.video!(source, job))).to.deep.equal([]);
  });
});

describe('The scene detector on recorded videos', () => {
  it('finds the cuts of scenes_pd.mp4 at the very frames', async () => {
    const scenes = await withVideo('scenes_pd.mp4', {}, (video) => scenesOf(video));
    expect(scenes).to.deep.equal([[0, 49], [50, 119], [120, 199], [200, 249]]); // oxfmt-ignore
  });

  it('finds them among every fifth frame, too', async () => {
    const scenes = await withVideo('scenes_pd.mp4', { interval: 5 }, (video) => scenesOf(video));
    expect(scenes).to.deep.equal([[0, 49], [50, 119], [120, 199], [200, 249]]); // oxfmt-ignore
  });

  it('finds those of a range only', async () => {
    const range = { start: 100, stop: 180 };
    const scenes = await withVideo('scenes_pd.mp4', { range }, (video) => scenesOf(video));
    expect(scenes).to.deep.equal([[100, 119], [120, 180]]); // oxfmt-ignore
  });

  it('sees one scene where a picture comes and goes before a still one', async () => {
    expect(await withVideo('face_move.mp4', {}, (video) => scenesOf(video))).to.deep.equal([[0, 99]]);
  });

  it('sees one scene where things glide by', async () => {
    const scenes = await withVideo('ff-exact-region-object-motion.avi', {}, (video) => scenesOf(video));
    expect(scenes).to.deep.equal([[0, 169]]);
  });
});
