import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { accessUnits, jpegPictures } from '../../support/media/coded-media.ts';
import { h264Over, jpegOver } from '../../support/media/rtp-pictures.ts';
import { multipart } from '../../support/servers/stream-server.ts';
import { openLive, type LiveSource } from '../../../media/live/live-frames.ts';
import type { RtspBehaviour } from '../../support/servers/rtsp-server.ts';
import { until } from '../../support/until.ts';
import { OPTIONS, Watching, closeServers, http, rtsp, smallClip, type Watched } from './live-watching.ts';
import { makeVideo } from '../support/make-video.ts';
import { scratchFolder } from '../support/samples.ts';

const folder = scratchFolder();
after(() => rmSync(folder, { recursive: true, force: true }));
afterEach(closeServers);

describe('JPEG over RTSP', () => {
  it('is put together to the pictures that the camera has cut', async () => {
    const clip = smallClip(folder);
    const pictures = (await jpegPictures(clip, 40)).slice(0, 25);
    const whole = await watchEach((ready) => http(() => ({ ...multipart(pictures), ...ready })));
    const cut = await watchEach((ready) =>
      rtsp(accessUnits(clip), () => ({ ...jpegOver(pictures), ...ready })),
    );
    for (const { counts } of [whole, cut]) expect(counts).to.include({ decoded: 25, damaged: 0, dropped: 0 });
    expect(cut.frames.map(({ md5 }) => md5)).to.deep.equal(whole.frames.map(({ md5 }) => md5));
  });
});

/** Sends a picture only after the earlier ones were fetched, so that a slow machine sees all of them. */
async function watchEach(
  serve: (pace: Required<Pick<RtspBehaviour, 'speed' | 'ready'>>) => Promise<{ readonly url: string }>,
): Promise<Watched> {
  let watching: Watching | undefined;
  const ready = (sent: number) =>
    until('the pictures were fetched', () => (watching?.frames.length ?? 0) >= sent - 1);
  const { url } = await serve({ speed: Infinity, ready });
  watching = new Watching(url);
  return watching.over;
}

describe('a live stream that goes on for long', () => {
  const MIB = 1024 * 1024;
  const [CLIP_FRAMES, TIMES] = [100, 20];
  /**
   * Numbers of frames: between two memory readings, before the first reading that counts, and buffered by the
   * decoder.
   */
  const [LOOK, WARM_UP, HELD_BACK] = [250, 500, 20];

  it('takes no more memory after thousands of frames than after the first hundreds', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const file = join(folder, 'long.mp4');
    makeVideo(file, { frames: CLIP_FRAMES, width: 320, height: 240, gop: 25 });
    const clip = accessUnits(file);
    const again = (n: number) =>
      clip.units.map((unit) => ({ ...unit, ptsMs: unit.ptsMs + n * CLIP_FRAMES * 40 }));
    const units = Array.from({ length: TIMES }, (_, n) => again(n)).flat();
    let source: LiveSource | undefined;
    const resident: number[] = [];
    const ready = async (sent: number) => {
      if (sent % LOOK > 0) return;
      // At the speed at which a slow machine decodes.
      await until('all were decoded', () => (source?.counts.decoded ?? 0) >= sent - HELD_BACK);
      collect();
      resident.push(process.memoryUsage.rss() / MIB);
    };
    const server = await rtsp(clip, () => ({ ...h264Over({ ...clip, units }), speed: Infinity, ready }));
    source = openLive(server.url, OPTIONS, new AbortController().signal);
    for await (const _ of source.frames());
    expect((await source.ended).reason).to.equal('ended');
    expect(source.counts.decoded).to.equal(CLIP_FRAMES * TIMES);
    // The first readings are taken before all code is loaded.
    const early = resident[WARM_UP / LOOK]!;
    expect(Math.min(...resident.slice(-3)) - early, `MiB: ${resident.join(', ')}`).to.be.lessThan(20);
  });
});
