/**
 * Blurred copies of videos contain only analysed frames, and also blur faces shortly before and after their
 * track.
 */
import { expect } from 'chai';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from '../../../../components/sdk/detector.ts';
import { unseenFrames } from '../../../../components/builtin/markup/unseen-frames.ts';
import { constantFrameTimes, variableFrameTimes } from '../../../support/frame-times.ts';
import type { FrameTimes, Properties, Range } from '../../../../domain/types.ts';
import { newPacket, openContainer, readPacket } from '../../../../media/libav/container.ts';
import { openVideo } from '../../../../media/video/video-frames.ts';
import type { FrameChoice, MarkupAnswer, MarkupWork } from '../../../../protocol/track-work.ts';
import { markUp } from '../../../../components/builtin/markup/markup.ts';
import { makeVideo } from '../../../media/support/make-video.ts';
import { md5, sample } from '../../../media/support/samples.ts';
import { finishedTrack, findBoxes, markupWork, sourceOf, type Asked } from './markup-parts.ts';
import { context, textOf } from '../media/media-parts.ts';

const EVERY: FrameChoice = { interval: 1, rateCap: 0, keyFramesOnly: false };
const BLUR = { MARKUP_STYLE: 'BLUR', MARKUP_VIDEO_ENCODER: 'h264', MARKUP_BLUR_MARGIN: '0' };
const BOX = [20, 20, 60, 40] as const;

interface Case extends Omit<Asked, 'sources' | 'folder'> {
  readonly ranges: readonly Range[];
  readonly frameTimes?: FrameTimes;
  readonly frameChoices?: readonly FrameChoice[];
  /** Frames with a detection in BOX. */
  readonly found?: readonly number[];
  readonly properties?: Properties;
}

describe('A blurred copy of a video', () => {
  let folder = '';
  const path = (name: string): string => join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'markup-excerpt-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function workOf(given: Case): Promise<MarkupWork> {
    const { ranges, frameTimes = constantFrameTimes(25), frameChoices = [EVERY], properties = BLUR } = given;
    const prepared = path('prepared');
    await writeFile(prepared, `${JSON.stringify({ ranges, facts: { frameTimes } })}\n`);
    const tracks = given.found?.length
      ? [finishedTrack(given.found.map((frame) => findBoxes(frame, BOX)))]
      : [];
    const sources = [await sourceOf(path('tracks'), tracks)];
    const asked = { medium: given.medium, sources, folder: path('out'), properties };
    return { ...markupWork(asked), prepared, frameChoices };
  }
  async function copyOf(given: Case): Promise<string> {
    return (JSON.parse(await textOf(markUp(await workOf(given), context()))) as MarkupAnswer).path;
  }
  async function framesOf(file: string): Promise<Frame[]> {
    const reader = await openVideo(file);
    const all: Frame[] = [];
    for await (const frame of reader.frames()) all.push({ ...frame, data: Uint8Array.from(frame.data) });
    return all;
  }
  function video(frames: number, at?: (frame: number) => number): Case['medium'] {
    makeVideo(path('video.mp4'), {
      frames,
      gop: 12,
      encoderOptions: { 'x264-params': 'scenecut=0:qp=8' },
      ...(at === undefined ? {} : { at }),
    });
    const metadata: Properties = at === undefined ? { HAS_CONSTANT_FRAME_RATE: 'true' } : {};
    return { path: path('video.mp4'), length: frames, metadata };
  }
  /** The frames of the medium that the copy shows, matched by similarity outside BOX. */
  async function framesShown(copy: string, medium: Case['medium']): Promise<number[]> {
    const all = await framesOf(medium.path);
    const away = (a: Frame, b: Frame): number => {
      let sum = 0;
      for (let y = 0; y < 96; y += 2)
        for (let x = 270; x < 480; x += 3) sum += Math.abs(a.data[y * 480 + x]! - b.data[y * 480 + x]!);
      return sum;
    };
    return (await framesOf(copy)).map((frame) => {
      const distances = all.map((one) => away(frame, one));
      return distances.indexOf(Math.min(...distances));
    });
  }
  /** Frames with changes inside BOX. The first and last rows change most. */
  async function findBlurred(copy: string, medium: Case['medium']): Promise<number[]> {
    const [before, after] = [await framesOf(medium.path), await framesOf(copy)];
    const hasChanged = (frame: Frame): boolean => {
      let sum = 0;
      const was = before[frame.index]!;
      for (const y of [20, 59])
        for (let x = 24; x < 76; x++)
          sum += Math.abs(frame.data[(y * 160 + x) * 3]! - was.data[(y * 160 + x) * 3]!);
      return sum / (2 * 52) > 4;
    };
    return after.filter(hasChanged).map(({ index }) => index);
  }
  const span = (start: number, stop: number): number[] =>
    Array.from({ length: stop - start + 1 }, (_, at) => start + at);

  it('has the analysed ranges alone, one after the other', async () => {
    const medium = video(60);
    const ranges = [
      { start: 10, stop: 19 },
      { start: 40, stop: 44 },
    ];
    for (const where of [[12, 13], []]) {
      const copy = await copyOf({ medium, ranges, found: where });
      expect(await framesShown(copy, medium)).to.deep.equal([...span(10, 19), ...span(40, 44)]);
      expect((await framesOf(copy)).map(({ time }) => time)).to.deep.equal(span(0, 14).map((n) => n * 40));
    }
  });

  it('keeps the distances in time of a variable rate within each range', async () => {
    const at = (frame: number): number => frame * 40 + (frame % 3) * 11;
    const medium = video(40, at);
    const frameTimes = variableFrameTimes(span(0, 39).map(at), 25);
    const ranges = [
      { start: 4, stop: 8 },
      { start: 20, stop: 22 },
    ];
    const copy = await copyOf({ medium, frameTimes, ranges, found: [5] });
    const expected = [
      ...span(4, 8).map((n) => at(n) - at(4)),
      ...span(20, 22).map((n) => at(n) - at(20) + at(9) - at(4)),
    ];
    expect((await framesOf(copy)).map(({ time }) => time)).to.deep.equal(expected);
    expect(await framesShown(copy, medium)).to.deep.equal([...span(4, 8), ...span(20, 22)]);
  });

  it('has the sound of these ranges alone, at the pictures it belongs to', async () => {
    const medium = { path: sample('video_01.mp4'), length: 90, fps: 30000 / 1001 };
    const ranges = [
      { start: 15, stop: 44 },
      { start: 60, stop: 80 },
    ];
    const copy = await copyOf({ medium, frameTimes: constantFrameTimes(30000 / 1001), ranges });
    const sources = new Map(soundOf(medium.path).map(({ hash, seconds }) => [hash, seconds]));
    const sound = soundOf(copy).map(({ hash, seconds }) => ({ from: sources.get(hash)!, to: seconds }));
    const shift = (part: { readonly from: number; readonly to: number }): number => part.from - part.to;
    const packet = 1024 / 44_100;
    const [first, second] = [sound.filter((one) => one.from < 1.6), sound.filter((one) => one.from >= 1.6)];
    for (const [part, from, to, at] of [
      [first, 0.5005, 1.5015, 0],
      [second, 2.002, 2.7027, 1.001],
    ] as const) {
      expect(part.length).to.be.within((to - from) / packet - 2, (to - from) / packet);
      expect(part[0]!.from).to.be.within(from - 0.001, from + packet);
      expect(part.at(-1)!.from).to.be.below(to - packet + 0.001);
      for (const one of part) expect(shift(one)).to.be.closeTo(from - at, 0.001);
    }
  });

  it('is the whole video when all of it was analysed', async () => {
    const medium = video(20);
    const copy = await copyOf({ medium, ranges: [{ start: 0, stop: 19 }], found: [3] });
    expect(await framesOf(copy)).to.have.length(20);
  });

  it('ends where a length ends that only the client has told', async () => {
    const medium = { ...video(20), length: 8, inspected: false };
    const copy = await copyOf({ medium, ranges: [{ start: 0, stop: 7 }] });
    expect(await framesOf(copy)).to.have.length(8);
  });

  it('is not made when no frame was analysed', async () => {
    const work = await workOf({ medium: video(20), ranges: [] });
    const failed: unknown = await textOf(markUp(work, context())).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('code', 'COULD_NOT_READ_MEDIA');
    expect(await readdir(path('out')).catch(() => [])).to.deep.equal([]);
  });

  it('has all of the video when boxes are drawn', async () => {
    const properties = { MARKUP_VIDEO_ENCODER: 'h264' };
    const copy = await copyOf({ medium: video(20), ranges: [{ start: 5, stop: 7 }], found: [6], properties });
    expect(await framesOf(copy)).to.have.length(20);
  });

  for (const [what, frameChoices, where, concealed] of [
    ['blurs no other frames when each was looked at', [EVERY], [10, 11, 12], span(10, 12)],
    ['blurs all frames that FRAME_INTERVAL left out', [{ ...EVERY, interval: 5 }], [10, 15], span(6, 19)],
    ['blurs all frames that FRAME_RATE_CAP left out', [{ ...EVERY, rateCap: 5 }], [15], span(10, 19)],
    ['blurs from key frame to key frame', [{ ...EVERY, keyFramesOnly: true }], [12], span(1, 23)],
    ['goes by the action that left out most', [EVERY, { ...EVERY, interval: 3 }], [10], span(8, 12)],
  ] as const)
    it(what, async () => {
      const medium = video(40);
      const copy = await copyOf({ medium, ranges: [{ start: 0, stop: 39 }], frameChoices, found: where });
      expect(await findBlurred(copy, medium)).to.deep.equal(concealed);
    });

  it('blurs MARKUP_BLUR_MARGIN milliseconds beside the ends of a track, 200 by default', async () => {
    const medium = video(40);
    const { MARKUP_BLUR_MARGIN: _, ...byDefault } = BLUR;
    for (const [properties, concealed] of [
      [byDefault, span(9, 20)],
      [{ ...BLUR, MARKUP_BLUR_MARGIN: '90' }, span(12, 17)],
      [{ ...BLUR, MARKUP_BLUR_MARGIN: '40' }, span(13, 16)],
    ] as const) {
      const ranges = [{ start: 0, stop: 39 }];
      const copy = await copyOf({ medium, ranges, found: [14, 15], properties });
      expect(await findBlurred(copy, medium), JSON.stringify(properties)).to.deep.equal(concealed);
    }
  });

  it('finds unseen frames by their times where the rate varies, within the video', () => {
    const frameTimes = variableFrameTimes([0, 100, 110, 120, 500, 510, 900], 10);
    const options = { frameTimes, length: 7, margin: 0, keyFrames: [] };
    const margin = unseenFrames({ ...options, margin: 15, choices: [] });
    expect([0, 2, 4, 6].map((frame) => [margin.before(frame), margin.after(frame)])).to.deep.equal([
      [0, 0],
      [1, 3],
      [4, 5],
      [6, 6],
    ]);
    const capped = unseenFrames({ ...options, choices: [{ ...EVERY, rateCap: 2.5 }] });
    expect([capped.before(4), capped.after(4), capped.after(5)]).to.deep.equal([0, 5, 6]);
    // The picture does not change for 1.6 s. The frames before were not analysed since the start of their
    // interval.
    const still = { ...options, length: 5, frameTimes: variableFrameTimes([0, 300, 600, 900, 2500], 25) };
    const bySecond = unseenFrames({ ...still, choices: [{ ...EVERY, rateCap: 1 }] });
    expect(bySecond.before(4)).to.equal(0);
    const keys = { ...options, keyFrames: [0, 110, 500] };
    const byKeys = unseenFrames({ ...keys, choices: [{ ...EVERY, keyFramesOnly: true }] });
    expect([byKeys.before(2), byKeys.after(2), byKeys.after(4)]).to.deep.equal([1, 3, 6]);
    const bySecondKey = unseenFrames({ ...keys, choices: [{ ...EVERY, interval: 2, keyFramesOnly: true }] });
    expect([bySecondKey.before(4), bySecondKey.after(0)]).to.deep.equal([1, 3]);
    const slow = { ...EVERY, interval: 9, rateCap: 5, keyFramesOnly: true };
    const byCappedKeys = unseenFrames({ ...keys, keyFrames: [0, 110, 120, 500, 900], choices: [slow] });
    expect([byCappedKeys.before(4), byCappedKeys.after(2), byCappedKeys.after(4)]).to.deep.equal([0, 3, 5]);
  });
});

function soundOf(file: string): readonly { readonly hash: string; readonly seconds: number }[] {
  const container = openContainer(file);
  const packet = newPacket();
  const all: { hash: string; seconds: number }[] = [];
  try {
    const { audio } = container;
    while (readPacket(container, packet))
      if (packet.streamIndex === audio?.index)
        all.push({ hash: md5(packet.data!), seconds: Number(packet.pts) * audio.timeBase.toDouble() });
    return all;
  } finally {
    packet.free();
    container.close();
  }
}
