/** Reads single frames of videos one after the other. */
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { FrameReaders } from '../../../../components/builtin/media/frame-readers.ts';
import type { WorkMedium } from '../../../../protocol/media-work.ts';
import { makeVideo } from '../../../media/support/make-video.ts';
import { paintedNumber } from '../../../media/support/painted-number.ts';
import { temporaryFolder } from '../../../store/folder.ts';
import { until } from '../../../support/until.ts';

const FRAMES = 45;
const live = new AbortController().signal;

describe('Frames that are asked for one by one', () => {
  const path = temporaryFolder();
  let opened: string[];
  let readers: FrameReaders;
  before(() => {
    for (const name of ['a', 'b', 'c'])
      makeVideo(join(path('.'), `${name}.mp4`), { frames: FRAMES, gop: FRAMES, bFrames: 2 });
  });
  beforeEach(() => {
    opened = [];
    readers = new FrameReaders({ idleMs: 600_000, onOpen: (file) => opened.push(file) });
  });

  const medium = (name: string): WorkMedium => ({
    ...{ mediaId: 0, mediaType: 'VIDEO', mimeType: 'video/mp4', path: join(path('.'), `${name}.mp4`) },
    ...{ length: FRAMES, metadata: {}, fps: 25, inspected: true },
  });
  const numberOf = (name: string, frame: number, signal = live) =>
    readers.use(medium(name), frame, signal, async ({ data, width, height }) =>
      paintedNumber(
        await sharp(data, { raw: { width, height, channels: 3 } })
          .png()
          .toBuffer(),
        FRAMES,
      ),
    );

  it('in their order come of one decoder, also where some are left out', async () => {
    for (const frame of [3, 4, 5, 9, 10, 40, 44]) expect(await numberOf('a', frame)).to.equal(frame);
    expect([opened.length, readers.open]).to.deep.equal([1, 1]);
  });

  it('of two readers of a video come of a decoder for each', async () => {
    for (const frame of [0, 40, 1, 41, 2, 42]) expect(await numberOf('a', frame)).to.equal(frame);
    expect(opened.length).to.equal(2);
  });

  it('hold no more than two decoders open, and none that nobody asks for any more', async () => {
    for (const [name, frame] of [
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['b', 1],
    ] as const)
      await numberOf(name, frame);
    expect([opened.length, readers.open]).to.deep.equal([3, 2]);
    readers = new FrameReaders({ idleMs: 1 });
    await numberOf('a', 0);
    await until(
      'it is closed',
      () => readers.open,
      (open) => open === 0,
    );
  });

  it('that are not there, or that nobody waits for any more, leave no decoder open', async () => {
    expect(await numberOf('a', FRAMES)).to.equal(undefined);
    const gone = AbortSignal.abort(new Error('gone'));
    expect(await numberOf('a', 3, gone).catch(String)).to.equal('Error: gone');
    expect(readers.open).to.equal(0);
    expect(await numberOf('a', 3)).to.equal(3);
  });

  it('of a file that has taken the place of another are those of the new one', async () => {
    await numberOf('c', 0);
    makeVideo(medium('c').path, { frames: 20, gop: 20 });
    expect(await numberOf('c', 1)).to.not.equal(undefined);
    expect(opened.length).to.equal(2);
  });
});
