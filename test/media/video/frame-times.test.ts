import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from '../../../media/inspect/inspect.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { VideoOptions } from '../../../media/video/video-frames.ts';
import { withEdits } from '../support/edit-list.ts';
import { makeVideo } from '../support/make-video.ts';
import type { VideoRecipe } from '../support/make-video.ts';
import { scratchFolder } from '../support/samples.ts';

/** One second with 25 frames, then slides of several seconds each. */
const slides = (frame: number): number =>
  frame < 25 ? frame * 40 : 1000 + (frame - 24) * 3000 + (frame % 3) * 200;
/** Irregular steps, as screen recorders and browsers write. */
const uneven = (frame: number): number => frame * 33 + ((frame * frame * 7) % 19);
/** Frame slots of the reference implementation for three slides at 0, 1.076 and 2.206 s. */
const threeSlides = (frame: number): number => [0, 20, 41][frame]! * 40;

const MADE: Readonly<Record<string, VideoRecipe>> = {
  'three.avi': { frames: 3, at: threeSlides, bFrames: 2, rate: 25 },
  'three-mjpeg.avi': { frames: 3, at: threeSlides, encoder: 'mjpeg', rate: 25 },
  'slides-mjpeg.avi': { frames: 40, at: slides, encoder: 'mjpeg', rate: 25 },
  'slides-mpeg4.avi': { frames: 40, at: slides, encoder: 'mpeg4', rate: 25 },
  'slides.mkv': { frames: 40, at: slides, bFrames: 2, gop: 10 },
  'slides.webm': { frames: 40, at: slides, encoder: 'libvpx', gop: 10 },
  'slides.mp4': { frames: 40, at: slides, bFrames: 2, gop: 10 },
  'slides.mov': { frames: 40, at: slides, bFrames: 2, gop: 10 },
  'slides.ts': { frames: 40, at: slides, bFrames: 2, gop: 10 },
  'slides.flv': { frames: 40, at: slides, bFrames: 2, gop: 10 },
  'slides.asf': { frames: 40, at: slides, encoder: 'mpeg4', gop: 10 },
  'uneven.mkv': { frames: 40, at: uneven, bFrames: 2, gop: 10, statesNoRate: true },
  'uneven.webm': { frames: 40, at: uneven, encoder: 'libvpx', gop: 10, statesNoRate: true },
  'uneven.ts': { frames: 40, at: uneven, bFrames: 2, gop: 10, statesNoRate: true },
};

describe('the times of the frames of a video', () => {
  let folder = '';
  const pathOf = (name: string): string => join(folder, name);
  before(() => {
    folder = scratchFolder();
    makeVideo(pathOf('whole.mp4'), { frames: 100, encoder: 'mpeg4', gop: 20 });
    makeVideo(pathOf('early.ts'), { frames: 40, bFrames: 2, gop: 10 });
    makeVideo(pathOf('late.ts'), { frames: 40, bFrames: 2, gop: 10, at: (frame) => 5000 + frame * 40 });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const read = async (path: string, options: VideoOptions = {}): Promise<number[]> => {
    const times: number[] = [];
    for await (const { time } of (await openVideo(path, options)).frames()) times.push(time);
    return times;
  };

  /** Frame times from inspection, which must be consistent and equal those of the frame reader. */
  async function timesOf(
    path: string,
  ): Promise<{ times: readonly number[]; fps: number; duration: number; warnings: number }> {
    const { facts, warnings } = await inspect(path);
    const { fps, startTime, constantRate, times } = facts.frameTimes!;
    const table =
      times ??
      Array.from({ length: facts.length }, (_, frame) => startTime + Math.floor((frame * 1000) / fps));
    expect(facts.metadata['FRAME_COUNT']).to.equal(String(table.length));
    expect(Number(facts.metadata['FPS'])).to.equal(fps);
    const duration = Number(facts.metadata['DURATION']);
    expect(duration).to.be.above(table.at(-1)!);
    expect(constantRate).to.equal(times === undefined);
    expect(await read(path)).to.deep.equal(table);
    const middle = { start: Math.floor(table.length / 2), stop: table.length - 1 };
    expect(await read(path, { range: middle })).to.deep.equal(table.slice(middle.start));
    return { times: table, fps, duration, warnings: warnings.length };
  }

  for (const [name, recipe] of Object.entries(MADE))
    it(`are those of its packets (${name})`, async () => {
      makeVideo(pathOf(name), recipe);
      const { times, warnings } = await timesOf(pathOf(name));
      expect(times).to.deep.equal(Array.from({ length: recipe.frames }, (_, frame) => recipe.at!(frame)));
      expect(warnings).to.equal(0);
    });

  it('are those of the reference for an AVI with 223/12 slots a second', async () => {
    const path = pathOf('slots.avi');
    makeVideo(path, { frames: 3, at: threeSlides, bFrames: 2, rate: 25 });
    const bytes = readFileSync(path);
    // Scale and rate in the stream header, which the index uses.
    const header = bytes.indexOf('vids');
    bytes.writeUInt32LE(12, header + 20);
    bytes.writeUInt32LE(223, header + 24);
    writeFileSync(path, bytes);
    const { facts } = await inspect(path);
    expect(facts.frameTimes?.times).to.deep.equal([0, 1076, 2206]);
    expect(facts.metadata).to.include({ FRAME_COUNT: '3', FPS: String(223 / 12), DURATION: '2261' });
  });

  it('leave out what the edit list of an MP4 file leaves out', async () => {
    const path = pathOf('edited.mp4');
    const edits = [
      { ms: 800, from: 512 * 10 },
      { ms: 400, from: 512 * 60 },
    ];
    writeFileSync(path, withEdits(readFileSync(pathOf('whole.mp4')), edits));
    const { times, fps } = await timesOf(path);
    expect(fps).to.equal(25);
    expect(times.slice(0, 20)).to.deep.equal(Array.from({ length: 20 }, (_, frame) => frame * 40));
    expect(times.length).to.be.within(30, 33);
  });

  it('follow an edit list of MP4 that lets a picture stand still', async () => {
    const path = pathOf('still.mp4');
    const edits = [
      { ms: 800, from: 512 * 10 },
      { ms: 3000, from: 512 * 60, still: true },
      { ms: 400, from: 512 * 40 },
    ];
    writeFileSync(path, withEdits(readFileSync(pathOf('whole.mp4')), edits));
    const { times } = await timesOf(path);
    expect(times[19]).to.equal(760);
    expect(times.at(-1)).to.be.above(3800);
  });

  it('begin when the first picture is shown after the edit list of an MP4 file', async () => {
    const path = pathOf('cut.mp4');
    makeVideo(path, { frames: 60, bFrames: 2, gop: 20, at: (frame) => frame * 40 - 480 });
    const { times } = await timesOf(path);
    expect(times).to.deep.equal(Array.from({ length: 48 }, (_, frame) => frame * 40));
  });

  it('jump where a transport stream has lost packets', async () => {
    const path = pathOf('lost.ts');
    const bytes = readFileSync(pathOf('early.ts'));
    const place = (share: number): number => Math.floor((bytes.length / 188) * share) * 188;
    writeFileSync(path, Buffer.concat([bytes.subarray(0, place(0.4)), bytes.subarray(place(0.7))]));
    const { times } = await timesOf(path);
    expect(times[0]).to.equal(0);
    expect(times.at(-1)).to.equal(39 * 40);
    expect(times).to.have.length.below(35);
  });

  it('go on where the clock of a transport stream is set back', async () => {
    const path = pathOf('joined.ts');
    writeFileSync(path, Buffer.concat(['late.ts', 'early.ts'].map((name) => readFileSync(pathOf(name)))));
    const { times } = await timesOf(path);
    expect(times).to.deep.equal(Array.from({ length: 80 }, (_, frame) => frame * 40));
  });

  it('give the rate of a video whose container states none, or a wrong one', async () => {
    for (const name of ['uneven.mkv', 'uneven.webm', 'uneven.ts', 'slides.mkv', 'slides.ts']) {
      makeVideo(pathOf(name), MADE[name]!);
      const { fps, duration } = await timesOf(pathOf(name));
      expect((40 * 1000) / fps, name).to.be.closeTo(duration, 1);
    }
  });

  it('keep the rate that a container states where it is nearly that of its frames', async () => {
    makeVideo(pathOf('nearly.mkv'), { frames: 40, at: (frame) => frame * 40 + (frame > 30 ? 300 : 0) });
    expect((await timesOf(pathOf('nearly.mkv'))).fps).to.equal(25);
  });
});
