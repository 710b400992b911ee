import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { accessUnits, jpegPictures } from '../../support/media/coded-media.ts';
import { h264Over, jpegOver } from '../../support/media/rtp-pictures.ts';
import { multipart } from '../../support/servers/stream-server.ts';
import { openLive } from '../../../media/live/live-frames.ts';
import { OPTIONS, closeServers, http, rtsp, smallClip, watch } from './live-watching.ts';
import { makeVideo } from '../support/make-video.ts';
import { scratchFolder } from '../support/samples.ts';

const folder = scratchFolder();
after(() => rmSync(folder, { recursive: true, force: true }));
afterEach(closeServers);

describe('JPEG over RTSP', () => {
  it('is put together to the pictures that the camera has cut', async () => {
    const clip = smallClip(folder);
    const pictures = (await jpegPictures(clip, 40)).slice(0, 25);
    const whole = await watch((await http(() => ({ ...multipart(pictures), speed: 2 }))).url);
    const cut = await watch((await rtsp(accessUnits(clip), () => ({ ...jpegOver(pictures), speed: 2 }))).url);
    expect(cut.counts).to.include({ decoded: 25, damaged: 0 });
    const shown = new Map(whole.frames.map(({ index, md5 }) => [index, md5]));
    const both = cut.frames.filter(({ index }) => shown.has(index));
    expect(both.length).to.be.greaterThan(10);
    for (const { index, md5 } of both) expect(md5, `frame ${index}`).to.equal(shown.get(index));
  });
});

describe('a live stream that goes on for long', () => {
  const MIB = 1024 * 1024;
  const [CLIP_FRAMES, TIMES] = [100, 20];

  it('takes no more memory after thousands of frames than after the first hundreds', async () => {
    const file = join(folder, 'long.mp4');
    makeVideo(file, { frames: CLIP_FRAMES, width: 320, height: 240, gop: 25 });
    const clip = accessUnits(file);
    const again = (n: number) =>
      clip.units.map((unit) => ({ ...unit, ptsMs: unit.ptsMs + n * CLIP_FRAMES * 40 }));
    const units = Array.from({ length: TIMES }, (_, n) => again(n)).flat();
    const server = await rtsp(clip, () => ({ ...h264Over({ ...clip, units }), speed: Infinity }));
    const resident: number[] = [];
    const source = openLive(server.url, OPTIONS, new AbortController().signal);
    let next = 500;
    for await (const { index } of source.frames())
      if (index >= next) {
        resident.push(process.memoryUsage.rss() / MIB);
        next += 500;
      }
    expect((await source.ended).reason).to.equal('ended');
    expect(source.counts.decoded).to.equal(CLIP_FRAMES * TIMES);
    const [early = 0] = resident;
    expect(Math.min(...resident.slice(-3)) - early).to.be.lessThan(20);
  });
});
