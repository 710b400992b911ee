import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAudio } from '../../../media/sound/audio.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { VIDEO_ENCODERS, type VideoEncoder } from '../../../media/video/video-encoder.ts';
import { openVideoWriter, type VideoWriterOptions } from '../../../media/video/video-writer.ts';
import { sample } from '../support/samples.ts';

const ENCODERS = Object.keys(VIDEO_ENCODERS) as readonly VideoEncoder[];

describe('writing videos', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'video-writer-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const at = (name: string): string => join(folder, name);

  /** The colour of each frame encodes its number. */
  const shade = (number: number): readonly [number, number, number] => [
    20 + number * 7,
    230 - number * 7,
    90,
  ];

  function write(
    path: string,
    ticks: readonly number[],
    options: Partial<VideoWriterOptions> = {},
  ): { hasSound: boolean } {
    const writer = openVideoWriter(path, {
      width: 96,
      height: 64,
      encoder: 'vp9',
      tick: { num: 1, den: 25 },
      frameRate: 25,
      crf: 10,
      ...options,
    });
    try {
      for (const [number, tick] of ticks.entries()) {
        for (let i = 0; i < writer.picture.length; i += 3) writer.picture.set(shade(number), i);
        writer.write(tick);
      }
      writer.finish();
      return { hasSound: writer.hasSound };
    } finally {
      writer.close();
    }
  }

  async function read(path: string): Promise<{
    times: number[];
    size: number[];
    fps: number;
    colours: number[][];
  }> {
    const reader = await openVideo(path);
    const times: number[] = [];
    const colours: number[][] = [];
    for await (const { time, data, width, height } of reader.frames()) {
      times.push(time);
      const middle = ((height >> 1) * width + (width >> 1)) * 3;
      colours.push([...data.subarray(middle, middle + 3)]);
    }
    return { times, size: [reader.width, reader.height], fps: reader.fps, colours };
  }

  const countUp = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

  for (const encoder of ENCODERS)
    it(`keeps every picture and its colours with ${encoder}`, async () => {
      const path = at(`all.${encoder}`);
      write(path, countUp(30), { encoder });
      const { times, size, fps, colours } = await read(path);
      expect(size).to.deep.equal([96, 64]);
      expect(fps).to.be.closeTo(25, 0.01);
      expect(times).to.deep.equal(countUp(30).map((number) => number * 40));
      for (const [number, colour] of colours.entries())
        for (const [index, component] of shade(number).entries())
          expect(colour[index], `picture ${number}`).to.be.closeTo(component, 6);
    });

  for (const encoder of ['vp9', 'h264'] as const)
    it(`shows each picture at its own time with ${encoder}`, async () => {
      const path = at(`times.${encoder}`);
      const ticks = [0, 40, 90, 91, 400, 433, 1000];
      write(path, ticks, { encoder, tick: { num: 1, den: 1000 }, frameRate: 6.5 });
      expect((await read(path)).times).to.deep.equal(ticks);
    });

  it('keeps rates of television exactly', async () => {
    write(at('ntsc.mp4'), countUp(12), {
      encoder: 'h264',
      tick: { num: 1001, den: 30_000 },
      frameRate: 30_000 / 1001,
    });
    const { fps, times } = await read(at('ntsc.mp4'));
    expect(fps).to.be.closeTo(30_000 / 1001, 1e-6);
    expect(times).to.deep.equal(countUp(12).map((number) => Math.floor((number * 1001) / 30)));
  });

  it('cuts sizes to even numbers, and never to nothing', async () => {
    const sizes = [
      [97, 65, 96, 64],
      [33, 1, 32, 2],
      [1, 1, 2, 2],
    ] as const;
    for (const [width, height, evenWidth, evenHeight] of sizes)
      for (const encoder of ['h264', 'mjpeg'] as const) {
        const path = at(`${width}x${height}.${encoder}`);
        write(path, countUp(3), { width, height, encoder });
        expect((await read(path)).size, path).to.deep.equal([evenWidth, evenHeight]);
      }
  });

  it('takes the sound over where the container takes it as it is', async () => {
    const aac = sample('face_move.mp4');
    expect(write(at('silent.webm'), countUp(100), { soundOf: aac }).hasSound).to.equal(false);
    expect(write(at('sound.mp4'), countUp(50), { soundOf: aac, encoder: 'h264' }).hasSound).to.equal(true);
    const opus = sample('theora_opus.ogg');
    expect(write(at('sound.webm'), countUp(25), { soundOf: opus }).hasSound).to.equal(true);
    const hearSound = async (path: string): Promise<number[]> => {
      const samples: number[] = [];
      for await (const chunk of (await openAudio(path)).chunks()) for (const one of chunk) samples.push(one);
      return samples;
    };
    // The sound is twice as long as the video and is copied completely.
    const [before, after] = [await hearSound(aac), await hearSound(at('sound.mp4'))];
    expect(Math.abs(after.length - before.length)).to.be.lessThan(1600);
    const loudness = (samples: readonly number[]): number => samples.reduce((sum, one) => sum + one * one, 0);
    expect(loudness(after) / loudness(before)).to.be.closeTo(1, 0.02);
    expect((await read(at('sound.mp4'))).times).to.have.length(50);
  });

  it('tells in a sentence what is wrong', () => {
    expect(() => write(join(folder, 'no', 'such', 'folder.webm'), [0])).to.throw(
      'The video could not be written: No such file or directory.',
    );
  });
});
