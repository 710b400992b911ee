/** From the camera to the server with the real reader and the real face detector, in this process. */
import { expect } from 'chai';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import type { Detector, FoundTrack, FrameSource } from '../../../components/sdk/detector.ts';
import { openLive } from '../../../media/live/live-frames.ts';
import { accessUnits, transportStream } from '../../support/media/coded-media.ts';
import { StreamReceiver } from '../../support/servers/stream-receiver.ts';
import { until } from '../../support/until.ts';
import { closeServers, http, rtsp } from '../../media/live/live-watching.ts';
import { watch, workOf } from './live-stream.ts';
import { sample, withVideo } from '../models/recorded-media.ts';
import { all, jobOf } from '../visual.ts';

const CLIP = 'face_move.mp4';

/** `isLong`: includes larger variations and other values of the same cases. */
export function liveCamera({ isLong }: { readonly isLong: boolean }): void {
  describe('A camera that shows a face', function () {
    this.timeout(240_000);
    let faces: Detector;
    let server: StreamReceiver;
    let worker: ReturnType<typeof watch> | undefined;

    before(async () => {
      faces = await loadFaceDetector();
    });
    after(() => faces.close!());
    beforeEach(async () => {
      server = await new StreamReceiver().start();
    });
    afterEach(async () => {
      worker?.stop();
      await worker?.ended;
      worker = undefined;
      await Promise.all([server.stop(), closeServers()]);
    });

    /** Counts the frames that the detector gets. */
    function countingDetector(): { readonly detector: Detector; readonly onLooked: () => number } {
      let looked = 0;
      const detector: Detector = {
        followsStreams: true,
        video: (source, job) =>
          faces.video!(
            {
              ...source,
              async *frames() {
                for await (const frame of source.frames()) {
                  yield frame;
                  looked++;
                }
              },
            },
            job,
          ),
      };
      return { detector, onLooked: () => looked };
    }

    if (isLong)
      it('gives the track that its recording gives, in three segments, when no frame is dropped', async () => {
        const recording = await withVideo(CLIP, {}, async (video) =>
          all(faces.video!(video, await jobOf('faces'))),
        );
        const { detector, onLooked } = countingDetector();
        const ready = (sent: number) =>
          until('the frames were looked at', () => onLooked() >= Math.min(sent - 3, 98));
        const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ speed: Infinity, ready }));
        const work = await workOf('faces', { uri: camera.url, allowPrivate: true, segmentSize: 40 });
        worker = watch({ server, detector, open: openLive, work });
        await until('the stream has ended', () => server.isOver, Boolean, { withinMs: 60_000 });
        expect(server.end?.reason).to.equal('ended');
        const parts = server.segments.flatMap(({ tracks }) => tracks);
        expect(new Set(parts.map(({ liveId }) => liveId)).size).to.equal(1);
        expect(parts.map(({ startFrame, stopFrame }) => [startFrame, stopFrame])).to.deep.equal([
          [10, 39],
          [40, 79],
          [80, 89],
        ]);
        const live = parts.flatMap(({ detections }) => detections);
        expect(live).to.have.length(recording[0]!.detections.length);
        for (const [n, { frame, x, y, width, height }] of recording[0]!.detections.entries()) {
          expect(live[n]!.frame).to.equal(frame);
          for (const [is, was] of [
            [live[n]!.x, x],
            [live[n]!.y, y],
            [live[n]!.width, width],
            [live[n]!.height, height],
          ] as const)
            // oxfmt-ignore
            expect(is).to.be.closeTo(was, 1);
        }
        expect(server.segments.at(-1)!.summary.counts).to.deep.include({
          read: 100,
          processed: 100,
          dropped: 0,
        });
      });

    it('ends at once with a cancel though it never answers', async () => {
      const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ silentAt: 'DESCRIBE' }));
      const work = await workOf('faces', { uri: camera.url, allowPrivate: true });
      worker = watch({ server, detector: faces, open: openLive, work });
      await until('it is asked', () => camera.requests.length > 0);
      server.heartbeat = { status: 200, go: 'cancelled' };
      await until('the stream has ended', () => server.isOver);
      expect([server.end?.reason, server.segments]).to.deep.equal(['cancelled', []]);
    });

    it('is given up at once with a sentence when the password is wrong', async () => {
      const login = { scheme: 'Digest', user: 'eve', password: 'right' } as const;
      const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ login }));
      const uri = camera.url.replace('//', '//eve:wrong@');
      worker = watch({
        server,
        detector: faces,
        open: openLive,
        work: await workOf('faces', { uri, allowPrivate: true }),
      });
      await until('the stream has ended', () => server.isOver);
      expect(server.failure?.code).to.equal('COULD_NOT_OPEN_MEDIA');
      expect(server.failure?.message)
        .to.match(/password/)
        .and.not.include('wrong@');
    });

    it('that breaks repeatedly over HTTP continues in another process, with a segment of its own', async () => {
      const [stream, none] = [transportStream(sample(CLIP)), { followsStreams: true, video: idle }];
      const camera = await http(() => ({ pieces: stream.slice(0, 30), speed: 20, after: 'drop' }));
      const work = await workOf('faces', { uri: camera.url, allowPrivate: true, segmentSize: 10 });
      const eager = { ...work, reconnect: { firstMs: 20, longestMs: 50 } };
      worker = watch({ server, detector: none, open: openLive, work: eager, renewedAfter: 3 });
      await until('the stream is given back', () => server.released);
      await worker.ended;
      expect([server.end, server.failure]).to.deep.equal([undefined, undefined]);
      const told = server.segments.map(({ number }) => number);
      expect(told).to.deep.equal(told.map((_, n) => n));
      expect(told.length, 'segments').to.be.greaterThan(5);
      expect(camera.requests.length, 'connections').to.be.at.least(4);
    });
  });
}

/** A detector without results. */
async function* idle(source: FrameSource): AsyncGenerator<FoundTrack> {
  for await (const _ of source.frames()) yield* [];
}
