import { expect } from 'chai';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from '../../../components/sdk/detector.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { VideoOptions } from '../../../media/video/video-frames.ts';
import { makeVideo } from '../support/make-video.ts';
import type { VideoRecipe } from '../support/make-video.ts';
import { md5, mediumError, sample, scratchFolder } from '../support/samples.ts';
import { runs, seed } from '../../support/seed.ts';

/** Number of random ranges for each video. */
const ROUNDS = runs(15).numRuns ?? 0;
/** Recorded videos; `npm run test:long` uses all of them. */
const SAMPLES = [
  'face_move.mp4',
  'theora_opus.ogg',
  ...(ROUNDS < 15 ? [] : ['video_01.mp4', 'bbb24p_00_short.ts', 'face-morphing.gif']),
];

type Seen = Pick<Frame, 'index' | 'time' | 'warmUp'> & { readonly hash: string };

async function read(path: string, options: VideoOptions = {}): Promise<Seen[]> {
  const reader = await openVideo(path, options);
  const seen: Seen[] = [];
  for await (const { index, time, warmUp, data } of reader.frames())
    seen.push({ index, time, warmUp, hash: md5(data) });
  return seen;
}

const wholes = new Map<string, Promise<Seen[]>>();

/** All frames of a video that no test changes. */
function readWhole(path: string): Promise<readonly Seen[]> {
  const seen = wholes.get(path) ?? read(path);
  wholes.set(path, seen);
  return seen;
}

/** Pseudo-random numbers, so that SEED= repeats a failed run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const IN_EVERY_WAY: readonly [name: string, recipe: VideoRecipe][] = [
  ['b-frames.mp4', { frames: 120, bFrames: 3, gop: 48 }],
  [
    'open-gop.ts',
    { frames: 120, bFrames: 3, gop: 40, encoderOptions: { 'x264-params': 'open-gop=1:bframes=3' } },
  ],
  [
    'open-gop.mkv',
    { frames: 120, bFrames: 3, gop: 40, encoderOptions: { 'x264-params': 'open-gop=1:bframes=3' } },
  ],
  ['late-start.mkv', { frames: 100, bFrames: 2, gop: 25, at: (n) => 5000 + n * 40 }],
  ['late-start.ts', { frames: 100, bFrames: 2, gop: 25, at: (n) => 5000 + n * 40 }],
  [
    'uneven.mp4',
    {
      frames: 120,
      bFrames: 2,
      gop: 20,
      at: (n) => n * 40 + (n % 7 === 3 ? 13 : 0) + Math.floor(n / 50) * 500,
    },
  ],
  ['hd-colours.mp4', { frames: 60, bFrames: 2, gop: 20, encoderOptions: { colorspace: 'bt709' } }],
  ['mpeg2.ts', { frames: 100, encoder: 'mpeg2video', bFrames: 2, gop: 15 }],
  ['no-timestamps.mpg', { frames: 60, encoder: 'mpeg2video', bFrames: 2, gop: 15 }],
  ['no-timestamps.avi', { frames: 60, encoder: 'mpeg4', bFrames: 2, gop: 15 }],
  [
    'hidden-frames.webm',
    {
      frames: 80,
      encoder: 'libvpx',
      gop: 30,
      encoderOptions: { 'auto-alt-ref': '1', 'lag-in-frames': '16' },
    },
  ],
];

describe('reading the frames of a video', () => {
  let folder = '';
  const pathOf = (name: string): string => join(folder, name);
  before(function () {
    this.timeout(240_000);
    folder = scratchFolder();
    for (const [name, recipe] of IN_EVERY_WAY) makeVideo(pathOf(name), recipe);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('counts from 0 in presentation order and misses none', async () => {
    for (const [name, { frames }] of IN_EVERY_WAY) {
      const seen = await readWhole(pathOf(name));
      expect(
        seen.map(({ index }) => index),
        name,
      ).to.deep.equal([...Array(frames).keys()]);
      expect(new Set(seen.map(({ hash }) => hash)).size, name).to.equal(frames);
    }
  });

  it('gives the same frames from anywhere in the middle as when read from the beginning', async function () {
    this.timeout(240_000);
    const random = randomNumbers(seed);
    const paths = IN_EVERY_WAY.map(([name]) => pathOf(name));
    for (const name of SAMPLES) paths.push(sample(name));
    for (const path of paths) {
      const all = await readWhole(path);
      for (let round = 0; round < ROUNDS; round++) {
        const start = random(all.length);
        const stop = Math.min(all.length - 1, start + random(12));
        const interval = 1 + random(4);
        const contextFrames = random(10);
        const first = start - Math.floor(Math.min(contextFrames, start) / interval) * interval;
        const wanted = all
          .filter(({ index }) => index >= first && index <= stop && (index - first) % interval === 0)
          .map((frame) => ({ ...frame, warmUp: frame.index < start }));
        const seen = await read(path, { range: { start, stop }, interval, contextFrames });
        expect(
          seen,
          `SEED=${seed} ${path} ${start}-${stop} every ${interval}, ${contextFrames} before`,
        ).to.deep.equal(wanted);
      }
    }
  });

  it('gives single frames that are asked for, and no others, however far apart', async function () {
    this.timeout(240_000);
    const random = randomNumbers(seed);
    const paths = [...IN_EVERY_WAY.map(([name]) => pathOf(name)), sample('face_move.mp4')];
    for (const path of paths) {
      const all = await readWhole(path);
      for (let round = 0; round < ROUNDS; round++) {
        const share = 1 + random(40);
        const wanted = all.filter(() => random(share) === 0);
        const frames = wanted.map(({ index }) => index);
        const options = { frames, range: { start: 3, stop: 4 }, interval: 2, keyFramesOnly: true };
        expect(await read(path, options), `SEED=${seed} ${path} ${frames.join()}`).to.deep.equal(wanted);
      }
    }
  });

  it('leaves out single frames that the video does not have', async () => {
    const path = sample('face_move.mp4');
    const seen = await read(path, { frames: [0, 98, 100, 5000] });
    expect(seen.map(({ index }) => index)).to.deep.equal([0, 98]);
    expect(await read(path, { frames: [100] })).to.deep.equal([]);
    expect(await read(path, { frames: [] })).to.deep.equal([]);
  });

  it('gives the same frames when inspection has found the rate to be constant', async () => {
    const path = sample('video_01.mp4');
    const all = await readWhole(path);
    const known = { fps: 30_000 / 1001, constantRate: true, length: 90 };
    expect(await read(path, { known })).to.deep.equal(all);
    expect(await read(path, { known, range: { start: 41, stop: 80 } })).to.deep.equal(all.slice(41, 81));
  });

  it('gives the same frames with more decoder threads', async () => {
    const path = pathOf('b-frames.mp4');
    expect(await read(path, { threads: 2, range: { start: 30, stop: 60 } })).to.deep.equal(
      (await readWhole(path)).slice(30, 61),
    );
  });

  it('jumps over what a wide interval leaves out', async () => {
    const path = pathOf('b-frames.mp4');
    const all = await readWhole(path);
    const wanted = [0, 50, 100].map((n) => all[n]);
    expect(await read(path, { interval: 50 })).to.deep.equal(wanted);
  });

  describe('at most so many frames a second', () => {
    /**
     * Two seconds at 25 frames per second, then slides at 12, 12.4, 12.8, 36 and 56 s. The last two frames
     * are not compared, because an AVI file does not contain their times.
     */
    const slides = [12_000, 12_400, 12_800, 36_000, 56_000, 56_040, 56_080];
    const at = (frame: number): number => (frame < 50 ? frame * 40 : slides[frame - 50]!);
    const timesOf = async (path: string, options: VideoOptions): Promise<number[]> => {
      const times: number[] = [];
      const reader = await openVideo(path, options);
      for await (const frame of reader.frames()) if (!frame.warmUp) times.push(frame.time);
      return times;
    };

    for (const name of ['slides.mp4', 'slides-without-times.avi'])
      it(`goes by the times of the frames, so that no slide is skipped (${name})`, async () => {
        const path = join(folder, name);
        makeVideo(path, { frames: 57, at, bFrames: 2, rate: 25 });
        expect(await timesOf(path, { rateCap: 1 })).to.deep.equal([0, 1000, 12_000, 36_000, 56_000]);
        expect(await timesOf(path, { rateCap: 2, interval: 9 })).to.deep.equal([
          0, 520, 1000, 1520, 12_000, 12_800, 36_000, 56_000,
        ]);
        expect(await timesOf(path, { rateCap: 1, range: { start: 30, stop: 53 } })).to.deep.equal([
          1200, 12_000, 36_000,
        ]);
        expect(
          await timesOf(path, { rateCap: 1, range: { start: 50, stop: 54 }, contextFrames: 25 }),
        ).to.deep.equal([12_000, 36_000, 56_000]);
      });

    for (const name of ['border.mkv', 'border.avi'])
      it(`counts once what lies on both sides of a border (${name})`, async () => {
        const path = join(folder, name);
        makeVideo(path, { frames: 57, at, bFrames: name.endsWith('.avi') ? 2 : 0, rate: 25 });
        const of = (start: number, stop: number) => timesOf(path, { rateCap: 1, range: { start, stop }, continues: true }); // oxfmt-ignore
        expect(await of(30, 53)).to.deep.equal([12_000, 36_000]);
        expect(await of(50, 54)).to.deep.equal([12_000, 36_000, 56_000]);
        expect(await of(51, 52)).to.deep.equal([]);
        const pieces = [await timesOf(path, { rateCap: 1, range: { start: 0, stop: 29 } }), await of(30, 54)];
        expect(pieces.flat()).to.deep.equal(
          await timesOf(path, { rateCap: 1, range: { start: 0, stop: 54 } }),
        );
      });

    it('takes the first I-frame of each stretch of time', async () => {
      const path = join(folder, 'keys.mkv');
      makeVideo(path, { frames: 57, at, encoder: 'mpeg4', gop: 4 });
      const keys = await timesOf(path, { keyFramesOnly: true });
      const capped = keys.filter((time, n) => n === 0 || Math.floor(time / 1000) > Math.floor(keys[n - 1]! / 1000)); // oxfmt-ignore
      expect(capped).to.have.length.within(3, keys.length - 4);
      expect(await timesOf(path, { keyFramesOnly: true, rateCap: 1, interval: 25 })).to.deep.equal(capped);
    });

    it('is every n-th frame where the rate is constant', async () => {
      const path = join(folder, 'constant.mp4');
      makeVideo(path, { frames: 50 });
      const known = { fps: 25, constantRate: true, length: 50 };
      expect(await timesOf(path, { known, rateCap: 7, interval: 3 })).to.have.length(17);
    });
  });

  it('looks at I-frames only, and at every second one with an interval of 2', async () => {
    const path = sample('face_move.mp4');
    const all = await readWhole(path);
    const keyFrames = await read(path, { keyFramesOnly: true });
    expect(keyFrames).to.deep.equal([0, 25, 50, 75].map((n) => all[n]));
    const thinned = await read(path, { keyFramesOnly: true, interval: 2 });
    expect(thinned.map(({ index }) => index)).to.deep.equal([0, 50]);
    const warm = await read(path, { keyFramesOnly: true, range: { start: 50, stop: 99 }, contextFrames: 30 });
    expect(warm.map(({ index, warmUp }) => [index, warmUp])).to.deep.equal([
      [25, true],
      [50, false],
      [75, false],
    ]);
  });

  it('looks at I-frames only when there are no timestamps', async () => {
    const keyFrames = await read(pathOf('no-timestamps.mpg'), { keyFramesOnly: true });
    expect(keyFrames.map(({ index }) => index)).to.deep.equal([0, 15, 30, 45, 59]);
  });

  it('tells media time in milliseconds, counted from the start of the medium', async () => {
    expect((await readWhole(sample('face_move.mp4'))).slice(0, 3).map(({ time }) => time)).to.deep.equal([
      0, 40, 80,
    ]);
    expect((await readWhole(sample('video_01.mp4'))).slice(0, 3).map(({ time }) => time)).to.deep.equal([
      33, 66, 99,
    ]);
    expect((await readWhole(pathOf('late-start.ts')))[0]?.time).to.equal(0);
    expect((await readWhole(pathOf('uneven.mp4'))).slice(2, 5).map(({ time }) => time)).to.deep.equal([
      80, 133, 160,
    ]);
    expect((await readWhole(pathOf('no-timestamps.avi'))).slice(0, 3).map(({ time }) => time)).to.deep.equal([
      0, 40, 80,
    ]);
  });

  it('gives tightly packed RGB', async () => {
    const reader = await openVideo(sample('face_move.mp4'), { range: { start: 95, stop: 95 } });
    for await (const frame of reader.frames()) {
      expect(frame.data.length).to.equal(640 * 360 * 3);
      // The saucer at the left of the coffee picture is brown: more red than blue.
      const at = (180 * 640 + 5) * 3;
      expect(frame.data[at] ?? 0).to.be.greaterThan(frame.data[at + 2] ?? 255);
    }
  });

  it('clips a range at the end and reads nothing beyond it', async () => {
    const path = sample('face_move.mp4');
    expect((await read(path, { range: { start: 98, stop: 500 } })).map(({ index }) => index)).to.deep.equal([
      98, 99,
    ]);
    expect(await read(path, { range: { start: 100, stop: 120 } })).to.deep.equal([]);
  });

  it('lets the event loop have its turn while it decodes', async () => {
    let turns = 0;
    let isReading = true;
    const turn = () => {
      turns++;
      if (isReading) setImmediate(turn);
    };
    setImmediate(turn);
    await read(sample('face_move.mp4'));
    isReading = false;
    // On any machine: once per few milliseconds of reading.
    expect(turns).to.be.at.least(3);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const reader = await openVideo(sample('scenes_pd.mp4'), { signal: controller.signal });
    let seen = 0;
    try {
      for await (const frame of reader.frames()) {
        seen = frame.index;
        if (seen === 3) controller.abort();
        // Simulates the work of a detector.
        for (const until = performance.now() + 5; performance.now() < until;);
      }
    } catch (error) {
      expect(error).to.equal(controller.signal.reason);
    }
    expect(seen).to.be.lessThan(249);
  });

  it('leaves out damaged frames, and the others keep their numbers', async () => {
    const path = pathOf('damaged.ts');
    const bytes = await readFile(pathOf('mpeg2.ts'));
    const middle = Math.floor(bytes.length / 2 / 188) * 188;
    bytes.fill(0x47, middle, middle + 188 * 12);
    await writeFile(path, bytes);
    const all = await read(pathOf('mpeg2.ts'));
    const seen = await read(path);
    expect(seen.length).to.be.within(70, 100);
    const same = seen.filter(({ hash, time }) =>
      all.some((frame) => frame.hash === hash && frame.time === time),
    );
    expect(same.length).to.be.at.least(60);
  });

  it('refuses to pass off a small part for the whole', async () => {
    const path = pathOf('cut.ts');
    const bytes = await readFile(pathOf('open-gop.ts'));
    await writeFile(path, bytes.subarray(0, Math.floor(bytes.length / 5)));
    const known = { fps: 25, constantRate: true, length: 120 };
    const error = await mediumError(read(path, { known }));
    expect(error.code).to.equal('COULD_NOT_READ_MEDIA');
    expect(error.message).to.match(/^Only \d+ of 120 frames .* truncated or damaged\.$/);
  });

  it('says what is wrong with a medium that it cannot open', async () => {
    const cases = {
      'video_01_invalid.mp4': /could not be opened/,
      'green.wav': /no video stream/,
      'ATTRIBUTION.md': /could not be opened/,
    };
    for (const [name, message] of Object.entries(cases)) {
      const error = await mediumError(openVideo(sample(name)));
      expect(error.code, name).to.equal('COULD_NOT_OPEN_MEDIA');
      expect(error.message, name).to.match(message);
    }
  });

  it('never follows a playlist to another file', async () => {
    const path = pathOf('playlist.mp4');
    await writeFile(
      path,
      `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile://${pathOf('mpeg2.ts')}\n#EXT-X-ENDLIST\n`,
    );
    expect((await mediumError(openVideo(path))).code).to.equal('COULD_NOT_OPEN_MEDIA');
  });
});
