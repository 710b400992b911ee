/**
 * Several tasks on one live stream in the host of detectors: the input of each task on known paths, and the
 * reports.
 */
import { expect } from 'chai';
import type { Detector, FoundDetection, Frame } from '../../../../components/sdk/detector.ts';
import { ClassTracks } from '../../../../components/shared/tracking/class-tracks.ts';
import { asTrack, type TrackPart } from '../../../../components/shared/tracking/open-track.ts';
import type { Properties } from '../../../../domain/types.ts';
import type { StreamAction, StreamEvent } from '../../../../protocol/streams.ts';
import type { StreamReceiver } from '../../../support/servers/stream-receiver.ts';
import { jobOf, paintVideo, type Painting } from '../../visual.ts';
import { square, squareDetector } from '../live-square.ts';
import { liveSource, streamOf, watchToEnd, workOf, type StreamOf } from '../live-stream.ts';

interface Look {
  readonly frame: number;
  readonly width: number;
  readonly height: number;
}

/** A detector that records its frames. */
const noteLooks = (looks: Look[], of: Partial<Detector> = {}): Detector => ({
  ...squareDetector({
    onLooked: ({ index, width, height }: Frame) => void looks.push({ frame: index, width, height }),
  }),
  ...of,
});

/** Finds a red and a blue object on a dark background. */
const COLOURS: Detector = {
  followsStreams: true,
  async *video(source, job) {
    const rules = { minOverlap: 0.1, maxDistance: 1, maxGap: 1, startConfidence: 0 };
    const ofClass = (part: TrackPart) => ({
      ...asTrack(part),
      properties: part.detections[0]?.properties ?? {},
    });
    const tracks = new ClassTracks(rules, job, ofClass);
    job.live?.follow(tracks);
    for await (const frame of source.frames()) {
      const found = (['red', 'blue'] as const).flatMap((name) => boxOf(frame, name));
      yield* tracks.next(
        frame.index,
        new Map(found.map((one) => [one.properties?.['CLASSIFICATION'] ?? '', [one]])),
      );
    }
    yield* tracks.end();
  },
};

const BRIGHT = 200;

function boxOf({ index, width, height, data }: Frame, name: 'red' | 'blue'): FoundDetection[] {
  const channel = name === 'red' ? 0 : 2;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let i = 0; i < width * height; i++) {
    if (data[i * 3 + channel]! < BRIGHT) continue;
    [left, top] = [Math.min(left, i % width), Math.min(top, Math.floor(i / width))];
    [right, bottom] = [Math.max(right, i % width), Math.max(bottom, Math.floor(i / width))];
  }
  if (right < 0) return [];
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return [{ frame: index, ...box, confidence: 0.9, properties: { CLASSIFICATION: name } }];
}

/** A red square of 10 pixels at (20 + frame, 10), and a blue one of 20 pixels at (20 + frame, 40). */
const redAndBlue = (painting: Painting): StreamOf =>
  streamOf(
    paintVideo({ width: 200, height: 80, ...painting }, (x, y, frame) => {
      const left = 20 + frame;
      if (x >= left && x < left + 10 && y >= 10 && y < 20) return [250, 30, 30];
      if (x >= left && x < left + 20 && y >= 40 && y < 60) return [30, 30, 250];
      return [30, 30, 30];
    }),
  );

const actionOn = async (
  task: number,
  algorithm: string,
  properties: Properties = {},
): Promise<StreamAction> => ({
  task,
  algorithm,
  trackType: algorithm,
  properties: (await jobOf('motion', properties)).properties,
});

async function watchTasks(
  stream: StreamOf,
  actions: readonly StreamAction[],
  detectors: Readonly<Record<string, Detector>>,
): Promise<StreamReceiver> {
  const [first] = actions;
  const work = await workOf('motion', { segmentSize: 20, actions });
  const { trackType, properties } = first!;
  return watchToEnd({
    detector: detectors[first!.algorithm]!,
    others: detectors,
    open: liveSource(stream),
    work: { ...work, trackType, properties },
  });
}

const tracksOf = ({ segments }: StreamReceiver, type: string) =>
  segments.flatMap(({ tracks }) => tracks).filter(({ type: found = 'FIRST' }) => found === type);

const began = ({ events }: StreamReceiver) =>
  events.filter(
    (event): event is Extract<StreamEvent, { type: 'trackBegan' }> => event.type === 'trackBegan',
  );

describe('Several tasks on a live stream', () => {
  it('look at whole frames only while the task before finds something', async () => {
    const looks: Look[] = [];
    const isThere = (frame: number) => frame >= 10 && frame < 30;
    const server = await watchTasks(
      square({ frames: 60 }, isThere),
      [await actionOn(0, 'FIRST'), await actionOn(1, 'SECOND', { MIN_GAP_BETWEEN_SEGMENTS: '0' })],
      { FIRST: squareDetector(), SECOND: noteLooks(looks) },
    );
    expect(server.failure).to.equal(undefined);
    // The track of the previous task stays open for one more frame.
    expect(looks.map(({ frame }) => frame)).to.deep.equal(Array.from({ length: 21 }, (_, n) => n + 10));
    expect(server.counts?.read).to.equal(60);
    expect(
      tracksOf(server, 'SECOND').map(({ startFrame, stopFrame }) => [startFrame, stopFrame]),
    ).to.deep.equal([
      [10, 19],
      [20, 29],
    ]);
    expect(new Set(tracksOf(server, 'SECOND').map(({ liveId }) => liveId)).size).to.equal(1);
  });

  it('see the boxes of the task before, and report their finds in the whole picture', async () => {
    const looks: Look[] = [];
    const server = await watchTasks(
      square({ frames: 45 }),
      [await actionOn(0, 'FIRST'), await actionOn(1, 'SECOND', { FEED_FORWARD_TYPE: 'REGION' })],
      { FIRST: squareDetector(), SECOND: noteLooks(looks) },
    );
    expect(new Set(looks.map(({ width, height }) => `${width}x${height}`))).to.deep.equal(new Set(['10x10']));
    const found = tracksOf(server, 'SECOND').flatMap(({ detections }) => detections);
    expect(found.map(({ frame, x, y }) => [frame, x, y])).to.deep.equal(
      Array.from({ length: 45 }, (_, frame) => [frame, 20 + frame, 30]),
    );
    expect(new Set(tracksOf(server, 'SECOND').map(({ action }) => action))).to.deep.equal(new Set([1]));
    expect(began(server).map(({ trackType, action }) => [trackType, action])).to.deep.equal([
      ['FIRST', 0],
      ['SECOND', 1],
    ]);
  });

  it('pass tracks by their TRIGGER: what one task takes does not come to the next', async () => {
    const [red, others]: [Look[], Look[]] = [[], []];
    const fed = { FEED_FORWARD_TYPE: 'REGION' };
    await watchTasks(
      redAndBlue({ frames: 12 }),
      [
        await actionOn(0, 'FIRST'),
        await actionOn(1, 'RED', { ...fed, TRIGGER: 'CLASSIFICATION=red' }),
        await actionOn(2, 'OTHERS', { ...fed, TRIGGER: 'CLASSIFICATION=red;blue' }),
      ],
      { FIRST: COLOURS, RED: noteLooks(red), OTHERS: noteLooks(others) },
    );
    expect([red.length, new Set(red.map(({ width }) => width))]).to.deep.equal([12, new Set([10])]);
    expect([others.length, new Set(others.map(({ width }) => width))]).to.deep.equal([12, new Set([20])]);
  });

  it('of one kind look side by side at the same frames, each at its own interval', async () => {
    const [all, third]: [Look[], Look[]] = [[], []];
    const server = await watchTasks(
      square({ frames: 30 }),
      [
        await actionOn(0, 'FIRST', { FRAME_INTERVAL: '2' }),
        await actionOn(0, 'SECOND', { FRAME_INTERVAL: '3' }),
      ],
      { FIRST: noteLooks(all), SECOND: noteLooks(third) },
    );
    const every = (n: number) => Array.from({ length: 30 / n }, (_, index) => index * n);
    expect(all.map(({ frame }) => frame)).to.deep.equal(every(2));
    expect(third.map(({ frame }) => frame)).to.deep.equal(every(3));
    expect(server.counts?.read).to.equal(30);
  });

  it('report nothing of a task with SUPPRESS_TRACKS', async () => {
    const server = await watchTasks(
      square({ frames: 25 }),
      [
        await actionOn(0, 'FIRST', { SUPPRESS_TRACKS: 'TRUE' }),
        await actionOn(1, 'SECOND', { FEED_FORWARD_TYPE: 'FRAME' }),
      ],
      { FIRST: squareDetector(), SECOND: squareDetector() },
    );
    expect(tracksOf(server, 'FIRST')).to.deep.equal([]);
    expect(tracksOf(server, 'SECOND').flatMap(({ detections }) => detections)).to.have.length(25);
    expect(began(server).map(({ trackType }) => trackType)).to.deep.equal(['SECOND']);
  });

  it('see one box around all of a track so far with SUPERSET_REGION', async () => {
    const looks: Look[] = [];
    await watchTasks(
      square({ frames: 5 }),
      [await actionOn(0, 'FIRST'), await actionOn(1, 'SECOND', { FEED_FORWARD_TYPE: 'SUPERSET_REGION' })],
      { FIRST: squareDetector(), SECOND: noteLooks(looks) },
    );
    expect(looks.map(({ width }) => width)).to.deep.equal([10, 11, 12, 13, 14]);
  });

  it('end a call of a detector with the track that it is for', async () => {
    const isThere = (frame: number) => frame % 20 < 10;
    const server = await watchTasks(
      square({ frames: 60 }, isThere),
      [await actionOn(0, 'FIRST'), await actionOn(1, 'SECOND', { FEED_FORWARD_TYPE: 'REGION' })],
      { FIRST: squareDetector(), SECOND: squareDetector() },
    );
    const ends = server.events.filter(({ type }) => type === 'trackEnded');
    expect([began(server).length, ends.length]).to.deep.equal([6, 6]);
    expect(
      tracksOf(server, 'SECOND').map(({ startFrame, open = false }) => [startFrame, open]),
    ).to.deep.equal([
      [0, false],
      [20, false],
      [40, false],
    ]);
  });

  it('add the most confident result so far to the track that they are fed', async () => {
    const fed: (readonly number[])[] = [];
    // Reports one frame of each segment. The confidence falls from segment to segment, except in the third.
    const annotator: Detector = {
      async *video(source, job) {
        for await (const { index } of source.frames()) {
          fed.push(job.fed!.detections.map(({ frame }) => frame));
          if (index % 20 !== 5) continue;
          const confidence = index === 45 ? 0.8 : 0.5 - index / 100;
          const found = { frame: index, x: 0, y: 0, width: 10, height: 10, confidence };
          const properties = { FOUND_IN: String(index) };
          yield { confidence, properties, detections: [{ ...found, properties }] };
        }
      },
    };
    const isThere = (frame: number) => frame < 70;
    const server = await watchTasks(
      square({ frames: 80 }, isThere),
      [
        await actionOn(0, 'FIRST'),
        await actionOn(1, 'SECOND', { FEED_FORWARD_TYPE: 'REGION', IS_ANNOTATOR: 'TRUE' }),
      ],
      { FIRST: squareDetector(), SECOND: annotator },
    );
    expect(server.failure).to.equal(undefined);
    expect(fed).to.deep.equal(Array.from({ length: 70 }, (_, frame) => [frame]));
    const parts = server.segments.flatMap(({ tracks }) => tracks);
    expect(
      parts.map(({ startFrame, action = 0, properties }) => [startFrame, action, properties['FOUND_IN']]),
    ).to.deep.equal([
      [0, 0, '5'],
      [20, 0, '5'],
      [40, 0, '45'],
      [60, 0, '45'],
    ]);
    const marked = parts.flatMap(({ detections }) =>
      detections.filter((one) => 'FOUND_IN' in one.properties),
    );
    expect(marked.map(({ frame, x, properties }) => [frame, x, properties['FOUND_IN']])).to.deep.equal(
      [5, 25, 45, 65].map((frame) => [frame, 20 + frame, String(frame)]),
    );
    expect(began(server).map(({ trackType }) => trackType)).to.deep.equal(['FIRST']);
  });

  it('fail with the error of whichever detector fails', async () => {
    const broken: Detector = {
      followsStreams: true,
      // eslint-disable-next-line require-yield -- it fails before it finds anything
      async *video(source) {
        for await (const { index } of source.frames()) if (index === 7) throw new Error('No model.');
      },
    };
    const { failure, segments } = await watchTasks(
      square({ frames: 20 }),
      [await actionOn(0, 'FIRST'), await actionOn(1, 'SECOND')],
      { FIRST: squareDetector(), SECOND: broken },
    );
    expect(failure?.message).to.contain('No model.');
    expect(segments.map(({ summary }) => summary.stopFrame)).to.deep.equal([7]);
  });
});
