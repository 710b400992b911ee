import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { watchStream } from '../../../components/host/stream.ts';
import type { Detector, FoundDetection } from '../../../components/sdk/detector.ts';
import { StreamReport } from '../../../components/sdk/work/stream-report.ts';
import { asTrack } from '../../../components/shared/tracking/open-track.ts';
import { Tracker } from '../../../components/shared/tracking/tracker.ts';
import type { StreamAnswer } from '../../../protocol/streams.ts';
import { liveSource, workOf } from './live-stream.ts';
import { picture } from '../visual.ts';

/** Several minutes of video; in `npm run test:long` an hour and a half. */
const FRAMES = process.env['SHARE_OF_RUNS'] === '1' ? 150_000 : 10_000;
const LOOK = FRAMES / 5;

/** Parked cars that are always there, and pedestrians that come and go. */
function crowd(frame: number): FoundDetection[] {
  const box = { frame, y: 10, width: 20, height: 20, confidence: 0.9 };
  const parked = [0, 50, 100, 150].map((x) => ({ ...box, x }));
  return frame % 40 < 20 ? [...parked, { ...box, x: 10 + (frame % 40), y: 60 }] : parked;
}

const detector: Detector = {
  followsStreams: true,
  async *video(source, job) {
    const rules = { minOverlap: 0.3, maxDistance: 1, maxGap: 2, startConfidence: 0 };
    const tracker = new Tracker(rules, job);
    job.live!.follow({ cut: () => tracker.cut().map(asTrack), end: () => tracker.finish().map(asTrack) });
    for await (const { index } of source.frames()) yield* tracker.next(index, crowd(index)).map(asTrack);
    yield* tracker.finish().map(asTrack);
  },
};

describe('A live stream that goes on', function () {
  this.timeout(240_000);

  it('takes no more memory the longer it lasts, parked cars included', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heaps: number[] = [];
    const still = picture(200, 100, () => [40, 40, 40]);
    const open = liveSource({
      async *frames() {
        for (let index = 0; index < FRAMES; index++) {
          if (index % LOOK === LOOK - 1) {
            collect();
            heaps.push(process.memoryUsage().heapUsed);
          }
          // Lets other work run, as between the frames of a camera.
          if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
          yield { ...still, index, time: index * 40 };
        }
      },
    });
    let sent = 0;
    const answer: StreamAnswer = { go: 'on' };
    const report = new StreamReport({
      token: 't',
      client: {
        segment: async (_token, number) => {
          expect(number).to.equal(sent++);
          return answer;
        },
        events: async () => answer,
        frame: async () => answer,
        end: async () => undefined,
      },
      onOver: (error) => expect.fail(error.message),
      onAnswer: () => undefined,
      counts: () => ({ read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 }),
      log: () => undefined,
    });
    const work = await workOf('motion', { segmentSize: 500 });
    const assignment = {
      token: 't',
      id: '1',
      kind: 'STREAM',
      algorithm: 'A',
      attempt: 1,
      heartbeatMs: 1_000,
      work,
    } as const;
    await watchStream(
      () => Promise.resolve(detector),
      assignment,
      {
        recordings: { add: () => undefined },
        report,
        stop: new AbortController().signal,
        progress: () => undefined,
        onCounts: () => undefined,
        wantsFrame: () => false,
        log: () => undefined,
      },
      open,
    );
    await report.flush();
    report.close();
    expect(sent).to.equal(FRAMES / 500);
    expect(Math.max(...heaps.slice(1)) - heaps[0]!).to.be.below(FRAMES * 50);
  });
});
