import { expect } from 'chai';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  accessUnits,
  jpegOf,
  jpegPictures,
  transportStream,
  type TimedBytes,
} from '../../support/media/coded-media.ts';
import { h264Over } from '../../support/media/rtp-pictures.ts';
import type { RtspBehaviour, RtspServer } from '../../support/servers/rtsp-server.ts';
import { multipart, type StreamAnswer } from '../../support/servers/stream-server.ts';
import { until } from '../../support/until.ts';
import {
  Watching,
  batchHashes,
  closeServers,
  http,
  rtsp as rtspOf,
  smallClip,
  watch,
} from './live-watching.ts';
import { makeVideo } from '../support/make-video.ts';
import { scratchFolder } from '../support/samples.ts';

const folder = scratchFolder();
const CLIP = smallClip(folder);
/** `isLong`: includes larger variations and other values of the same cases. */
export function liveFrames({ isLong }: { readonly isLong: boolean }): void {
  after(() => rmSync(folder, { recursive: true, force: true }));

  const clip = accessUnits(CLIP);
  const rtsp = (behaviour: Partial<RtspBehaviour> = {}): Promise<RtspServer> => rtspOf(clip, () => behaviour);
  afterEach(closeServers);
  const stream = transportStream(CLIP);
  const all = (pieces: readonly TimedBytes[]): Buffer => Buffer.concat(pieces.map(({ data }) => data));
  const plain = (data: Buffer | string, type: string): StreamAnswer => ({
    headers: { 'content-type': type },
    pieces: [{ dueMs: 0, data: Buffer.from(data) }],
  });
  let hashesOfClip: Promise<readonly string[]>;
  before(() => {
    hashesOfClip = batchHashes(CLIP);
  });
  const picture = (width: number, height: number): Buffer =>
    jpegOf(Buffer.alloc(width * height * 3, 90), width, height);

  describe('a live stream', () => {
    it('over RTSP gives the frames of the video reader, in order, numbered, with arrival times', async () => {
      const hashes = await hashesOfClip;
      let watching: Watching | undefined;
      // The camera stays ahead by the frames that the decoder buffers. The decoder returns the last two
      // frames only at the end.
      const ready = (sent: number) =>
        until('the frames were fetched', () => (watching?.frames.length ?? 0) >= Math.min(sent - 3, 98));
      const { url } = await rtsp({ speed: Infinity, ready });
      const before = Date.now();
      watching = new Watching(url);
      const { frames, counts, end } = await watching.over;
      expect(frames.map(({ index }) => index)).to.deep.equal(hashes.map((_, n) => n));
      expect(frames.map(({ md5 }) => md5)).to.deep.equal(hashes);
      expect(frames.map(({ time }) => time)).to.deep.equal(hashes.map((_, n) => n * 40));
      const came = frames.map(({ at }) => at);
      expect(came).to.deep.equal(came.toSorted((a, b) => a - b));
      expect(came[0]).to.be.within(before, Date.now());
      expect(counts).to.include({ decoded: 100, dropped: 0, skipped: 0, damaged: 0, reconnects: 0 });
      expect(end).to.deep.equal({ reason: 'ended', detail: 'The sender has ended the stream.' });
    });

    it('by UDP gives the same frames, also with overtaking packets and packets of strangers', async () => {
      const hashes = await hashesOfClip;
      let watching: Watching | undefined;
      const ready = (sent: number) =>
        until('the frames were fetched', () => (watching?.frames.length ?? 0) >= Math.min(sent - 3, 98));
      const { url, requests } = await rtsp({ speed: Infinity, ready, swapEvery: 5, strangers: true });
      watching = new Watching(url, { transport: 'UDP' });
      const { frames, counts, end } = await watching.over;
      expect(requests.find(({ method }) => method === 'SETUP')!.text).to.match(/client_port=\d+-\d+/);
      expect(frames.map(({ md5 }) => md5)).to.deep.equal(hashes);
      expect(counts).to.include({ decoded: 100, dropped: 0, damaged: 0 });
      expect(end.reason).to.equal('ended');
    });

    if (isLong)
      it('by UDP goes on with what came when packets are lost on their way', async () => {
        const { url } = await rtsp({ loseEvery: 19 });
        const { counts, end } = await watch(url, { transport: 'UDP' });
        expect(counts.decoded).to.be.greaterThan(20);
        expect(end.reason).to.equal('ended');
      });

    const transports = [
      ['MPEG-TS that calls itself nothing', { 'content-type': 'application/octet-stream' }],
      ['MPEG-TS over HTTP', { 'content-type': 'video/mp2t' }],
    ] as const;
    for (const [what, headers] of isLong ? transports : transports.slice(0, 1))
      it(`${what} gives frames that equal those of the file in each pixel; dropped ones are counted`, async () => {
        const hashes = await hashesOfClip;
        const { url } = await http(() => ({ pieces: stream, speed: 4, headers }));
        const { frames, counts, end, events } = await watch(url);
        for (const { index, md5 } of frames) expect(md5, `frame ${index}`).to.equal(hashes[index]);
        expect(frames.at(-1)!.index).to.equal(99);
        expect(frames.length + counts.dropped).to.equal(100);
        expect(end.reason).to.equal('ended');
        expect(events[0]).to.include({ type: 'opened', width: 192, height: 112, fps: 25 });
      });

    it('of multipart JPEG pictures is read with and without their lengths', async () => {
      const pictures = await jpegPictures(CLIP, 40);
      for (const withLength of isLong ? [true, false] : [false]) {
        const { url } = await http(() => ({ ...multipart(pictures, withLength), speed: 8 }));
        const { frames, counts, end } = await watch(url);
        expect(end.reason).to.equal('ended');
        expect(counts.decoded).to.equal(100);
        expect(frames.at(-1)).to.include({ index: 99, width: 192, height: 112 });
      }
    });

    const containers = [
      ['live.mp4', 'MP4 in fragments'],
      ['live.webm', 'WebM'],
    ] as const;
    for (const [name, container] of isLong ? containers : containers.slice(0, 1))
      it(`is read as ${container}`, async () => {
        const file = join(folder, name);
        makeVideo(file, {
          frames: 30,
          ...(name.endsWith('webm')
            ? { encoder: 'libvpx' }
            : { muxerOptions: { movflags: 'frag_keyframe+empty_moov' }, gop: 10 }),
        });
        const { url } = await http(() => plain(readFileSync(file), 'video/any'));
        const { counts, end } = await watch(url);
        expect(end.reason).to.equal('ended');
        expect(counts.decoded).to.equal(30);
      });

    it('lets two frames wait and drops older ones, so that a slow consumer sees the newest', async () => {
      const { url } = await rtsp({ after: 'stall' });
      const allDecoded = () => until('all frames are decoded', () => slow.source.counts.decoded === 98);
      const slow: Watching = new Watching(url, {}, async () => void (await allDecoded()));
      await allDecoded();
      await until('the newest frame was seen', () => slow.frames.at(-1)?.index === 97);
      const { decoded, dropped } = slow.source.counts;
      // The frame that it was processing, and the two that waited.
      expect(slow.frames.map(({ index }) => index).slice(1)).to.deep.equal([96, 97]);
      expect(slow.frames.length + dropped).to.equal(decoded);
      slow.cancel();
    });

    it('takes FRAME_INTERVAL and FRAME_RATE_CAP as the reader of videos does', async () => {
      for (const [options, picked] of [
        [{ interval: 10 }, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]],
        [{ rateCap: 2 }, [0, 13, 25, 38, 50, 63, 75, 88]],
      ] as const) {
        let watching: Watching | undefined;
        const ready = (sent: number) =>
          until(
            'the frames were fetched',
            () => (watching?.frames.length ?? 0) >= picked.filter((index) => index < sent - 3).length,
          );
        const { url } = await rtsp({ speed: Infinity, ready });
        watching = new Watching(url, options);
        const { frames, counts } = await watching.over;
        expect(frames.map(({ index }) => index)).to.deep.equal(picked);
        expect(frames.map(({ time }) => time)).to.deep.equal(picked.map((index) => index * 40));
        expect(counts).to.include({ decoded: 100, skipped: 100 - picked.length, dropped: 0 });
      }
    });

    if (isLong)
      it('counts frames from where an earlier reader stopped', async () => {
        const { url } = await rtsp();
        const { frames, events } = await watch(url, { firstFrame: 1_000, seenBefore: true });
        expect(frames.at(-1)!.index).to.equal(1_099);
        expect(events[0]!.type).to.equal('opened');
      });

    if (isLong)
      it('goes on with pictures of another size', async () => {
        const sizes = [picture(64, 48), picture(160, 96), picture(32, 32)];
        const pictures = sizes.flatMap((data, n) =>
          [0, 1, 2].map((m) => ({ dueMs: (n * 3 + m) * 40, data })),
        );
        const { url } = await http(() => multipart(pictures));
        const { frames, events, counts } = await watch(url);
        expect(counts.decoded).to.equal(9);
        expect(new Set(frames.map(({ width, height }) => `${width}x${height}`))).to.have.keys(
          '64x48',
          '160x96',
          '32x32',
        );
        expect(events.map((event) => event.type === 'opened' && [event.width, event.height])).to.deep.equal([
          [64, 48],
          [160, 96],
          [32, 32],
        ]);
      });

    it('over RTSP goes on when the camera changes the size of H.264', async () => {
      const file = join(folder, 'small.mp4');
      makeVideo(file, { frames: 20, gop: 10 });
      const small = accessUnits(file);
      const units = small.units.map((unit, n) => ({
        ...unit,
        dueMs: unit.dueMs + 4_000,
        ptsMs: unit.ptsMs + 4_000,
        nals: n === 0 ? [...small.parameterSets, ...unit.nals] : unit.nals,
      }));
      const { url } = await rtsp(h264Over({ ...clip, units: [...clip.units, ...units] }));
      const { frames, counts } = await watch(url);
      expect(counts.decoded).to.equal(120);
      expect(frames.at(-1)).to.include({ index: 119, width: 160, height: 96 });
    });

    it('as MPEG-TS goes on when the camera changes the size of H.264 within a connection', async () => {
      const file = join(folder, 'smaller.mp4');
      makeVideo(file, { frames: 20, gop: 10 });
      const pieces = [...stream, { dueMs: 0, data: all(transportStream(file)) }];
      const { url, requests } = await http(() => ({ pieces, speed: 8 }));
      const { frames, events, counts } = await watch(url);
      expect(requests).to.have.length(1);
      expect(counts).to.include({ decoded: 120, reconnects: 0 });
      expect(frames.at(-1)).to.include({ index: 119, width: 160, height: 96 });
      const sizes = events.map((event) => event.type === 'opened' && [event.width, event.height]);
      expect(sizes).to.deep.equal([[192, 112], [160, 96]]); // oxfmt-ignore
    });

    it('as MPEG-TS goes on when the camera changes from H.264 to H.265 within a connection', async () => {
      const file = join(folder, 'hevc.mp4');
      makeVideo(file, { frames: 20, gop: 10, encoder: 'libx265' });
      const pieces = [...stream, { dueMs: 0, data: all(transportStream(file)) }];
      const { url } = await http(() => ({ pieces, speed: 8 }));
      const { frames, counts, end } = await watch(url);
      expect(end.reason).to.equal('ended');
      expect(counts.reconnects).to.equal(0);
      // At the latest, decoding starts with the second key frame.
      expect(counts.decoded).to.be.within(100 + 8, 100 + 20);
      expect(frames.at(-1)).to.include({ index: counts.decoded - 1, width: 160, height: 96 });
    });

    if (isLong)
      it('goes on when the coding changes', async () => {
        const other = join(folder, 'other.mp4');
        makeVideo(other, { frames: 20, encoder: 'mpeg2video' });
        const { url } = await http(() => ({
          pieces: [...stream, { dueMs: 0, data: all(transportStream(other)) }],
          speed: 8,
        }));
        const { frames, end } = await watch(url);
        expect(frames.at(-1)).to.include({ width: 160, height: 96 });
        expect(end.reason).to.equal('ended');
      });

    if (isLong)
      it('keeps its own time when the timestamps of the camera jump by a day', async () => {
        const units = clip.units.map((unit, n) => ({
          ...unit,
          ptsMs: unit.ptsMs + (n < 50 ? 0 : 86_400_000),
        }));
        const { url } = await rtsp(h264Over({ ...clip, units }));
        const { frames, counts } = await watch(url);
        expect(counts.decoded).to.equal(100);
        const times = frames.map(({ time }) => time);
        expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
        expect(times.at(-1)).to.be.within(3_000, 30_000);
      });

    it('survives packets that are lost', async () => {
      const lossy = await rtsp({ loseEvery: 19 });
      const { counts, end } = await watch(lossy.url);
      expect(end.reason).to.equal('ended');
      expect(counts.decoded).to.be.greaterThan(20);
    });

    if (isLong)
      it('survives pictures of one pixel', async () => {
        const tiny = await http(() =>
          multipart([0, 40, 80].map((dueMs) => ({ dueMs, data: picture(1, 1) }))),
        );
        const { frames } = await watch(tiny.url);
        expect(frames.at(-1)).to.include({ width: 1, height: 1 });
      });
  });

  describe('a live stream that is cancelled', () => {
    const moments = [
      ['before DESCRIBE is answered', { silentAt: 'DESCRIBE' }],
      ['between frames', { speed: 0.5 }],
      ['before PLAY is answered', { silentAt: 'PLAY' }],
      ['while the camera is silent', { pictures: [] as never, after: 'stall' }],
    ] as const;
    for (const [where, behaviour] of isLong ? moments : moments.slice(0, 2))
      it(`is given up at once ${where}`, async () => {
        const server = await rtsp(behaviour);
        const watching = new Watching(server.url);
        await until('the camera was asked', () => server.requests.length > 0);
        await cancelWatching(watching);
        await until('the connection is closed', () => server.open === 0);
      });

    it('is given up at once by a server that accepts and never answers', async () => {
      const server = await http(() => undefined);
      const watching = new Watching(server.url);
      await until('it was asked', () => server.requests.length > 0);
      await cancelWatching(watching);
      await until('the connection is closed', () => server.open === 0);
    });

    async function cancelWatching(watching: Watching): Promise<void> {
      watching.cancel();
      const reason = await watching.over.then(
        () => 'it ended',
        (error: Error) => error.message,
      );
      expect(reason).to.equal('cancelled by the test');
      expect((await watching.source.ended).reason).to.equal('cancelled');
    }
  });
}
