/**
 * A sound detector with a video: the part of the sound that it gets for a range of frames, and the frames
 * that it reports.
 */
import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inMedium } from '../../../components/host/medium.ts';
import type { AudioSource, Detector, FoundSound } from '../../../components/sdk/detector.ts';
import type { Range } from '../../../domain/types.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import { openVideoWriter } from '../../../media/video/video-writer.ts';
import { sample, scratchFolder } from '../../media/support/samples.ts';

/** Times of the frames in milliseconds. */
const SLIDES = [0, 400, 5_000, 12_000, 30_000];
const STEADY = [0, 1, 2, 3, 4].map((n) => n * 40);

describe('The sound of a video', () => {
  let folder = '';
  before(() => {
    folder = scratchFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function video(name: string, times: readonly number[]): string {
    const path = join(folder, name);
    const size = { width: 96, height: 64, encoder: 'h264', crf: 30 } as const;
    const clock = { tick: { num: 1, den: 1000 }, frameRate: 25 };
    const writer = openVideoWriter(path, { ...size, ...clock, soundOf: sample('silence.mp3') });
    for (const time of times) writer.write(time);
    writer.finish();
    writer.close();
    return path;
  }

  /** The sound for these frames, and the reported frames for sounds at these times. */
  async function heard(path: string, range: Range, sounds: readonly number[]) {
    const { facts } = await inspect(path);
    const detector: Detector = {
      async *audio({ startTime, chunks }: AudioSource): AsyncIterable<FoundSound> {
        let samples = 0;
        for await (const chunk of chunks()) samples += chunk.length;
        stretch = { start: startTime, stop: startTime + samples / 16 };
        for (const time of sounds) yield { startTime: time, stopTime: time + 1, confidence: 1 };
      },
    };
    let stretch: Range | undefined;
    const { mediaType, mimeType, length, metadata, frameTimes } = facts;
    const medium = { mediaId: 1, mediaType, mimeType, path, length, metadata, fps: frameTimes!.fps, inspected: true }; // oxfmt-ignore
    const work = { medium, trackType: 'SPEECH', properties: {}, range, contextFrames: 0 };
    const signal = new AbortController().signal;
    const rejectUse = () => Promise.reject(new Error('nothing is fed'));
    const context = { signal, warn: () => undefined, progress: () => undefined, input: rejectUse };
    const frames: number[] = [];
    for await (const { startFrame } of inMedium(detector, work, context)) frames.push(startFrame);
    return { ...stretch!, frames };
  }

  it('is heard while the frames of the range are on show, and reported on the frame on show', async () => {
    const path = video('slides.mp4', SLIDES);
    const whole = await heard(path, { start: 0, stop: 4 }, [100, 450, 4_999, 5_000, 29_000, 30_001]);
    expect(whole.frames).to.deep.equal([0, 1, 1, 2, 3, 4]);
    expect(whole.stop).to.be.within(30_000, 30_300);
    const part = await heard(path, { start: 1, stop: 2 }, [450, 11_000]);
    expect(part.start).to.be.closeTo(400, 50);
    expect(part.stop).to.be.closeTo(12_000, 50);
    expect(part.frames).to.deep.equal([1, 2]);
  });

  it('follows the rate where that is constant', async () => {
    const part = await heard(video('steady.mp4', STEADY), { start: 1, stop: 2 }, [50, 90]);
    expect([part.start, part.stop]).to.deep.equal([40, 121]);
    expect(part.frames).to.deep.equal([1, 2]);
  });
});
