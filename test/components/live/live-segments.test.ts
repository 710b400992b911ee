import { expect } from 'chai';
import { DetectionError, type Detector } from '../../../components/sdk/detector.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { StreamReceiver } from '../../support/servers/stream-receiver.ts';
import { BEGAN, liveSource, watchToEnd, workOf, type StreamOf } from './live-stream.ts';
import { square, squareDetector } from './live-square.ts';
import { picture } from '../visual.ts';

type Given = NonNullable<Parameters<typeof workOf>[1]>;

/** Processes the stream to its end in segments of ten frames. */
async function watchStream(
  stream: StreamOf,
  given: Given = {},
  detector: Detector = squareDetector(),
): Promise<StreamReceiver> {
  const work = await workOf('motion', { segmentSize: 10, ...given });
  return watchToEnd({ detector, open: liveSource(stream), work });
}

const spans = ({ segments }: StreamReceiver) =>
  segments.map(({ tracks }) =>
    tracks.map(({ startFrame, stopFrame, open }) => [startFrame, stopFrame, open ?? false]),
  );

const names = ({ segments }: StreamReceiver) =>
  new Set(segments.flatMap(({ tracks }) => tracks.map(({ liveId }) => liveId)));

const eventsOf = ({ events }: StreamReceiver, ...types: StreamEvent['type'][]) =>
  events.filter(({ type }) => types.includes(type));

describe('Segments of a live stream', () => {
  it('hold the parts of a track that goes on over their borders, under one name', async () => {
    const server = await watchStream(square({ frames: 25 }));
    expect(spans(server)).to.deep.equal([[[0, 9, true]], [[10, 19, true]], [[20, 24, false]]]);
    expect(names(server).size).to.equal(1);
    expect(server.end).to.deep.equal({ reason: 'ended', detail: 'The sender has ended the stream.' });
  });

  it('tell their frames, their times and what was counted', async () => {
    const { segments } = await watchStream(square({ frames: 25 }));
    expect(segments.map(({ summary }) => [summary.startFrame, summary.stopFrame])).to.deep.equal([
      [0, 9],
      [10, 19],
      [20, 24],
    ]);
    expect(segments[1]!.summary.startTime).to.equal(BEGAN + 400);
    expect(segments[1]!.summary.stopTime).to.equal(BEGAN + 760);
    expect(segments[2]!.summary.counts).to.deep.equal({
      read: 25,
      processed: 25,
      dropped: 0,
      skipped: 0,
      reconnects: 0,
    });
    const [first] = segments[1]!.tracks;
    expect(first!.detections[0]).to.deep.include({ frame: 10, time: BEGAN + 400, x: 30, y: 30, width: 10 });
    expect([first!.startTime, first!.stopTime]).to.deep.equal([BEGAN + 400, BEGAN + 760]);
  });

  it('are told of although nothing is in them', async () => {
    const server = await watchStream(square({ frames: 30 }, () => false));
    expect(spans(server)).to.deep.equal([[], [], []]);
  });

  it('begin with the one that the server asks for', async () => {
    const { segments } = await watchStream(square({ frames: 15 }), { firstSegment: 7 });
    expect(
      segments.map(({ number, summary }) => [number, summary.startFrame, summary.stopFrame]),
    ).to.deep.equal([
      [7, 70, 79],
      [8, 80, 84],
    ]);
  });

  it('follow each other without a hole if frames are dropped, at borders and for whole segments', async () => {
    const isDropped = (index: number) => (index > 7 && index < 12) || (index > 18 && index < 42);
    const server = await watchStream({ ...square({ frames: 50 }), isDropped });
    expect(server.segments.map(({ number }) => number)).to.deep.equal([0, 1, 2, 3, 4]);
    expect(server.segments[2]!.summary).to.deep.include({ startFrame: 20, stopFrame: 29 });
    expect(server.segments[2]!.summary.startTime).to.be.within(BEGAN + 18 * 40, BEGAN + 42 * 40);
    expect(server.segments[4]!.summary.counts).to.deep.include({
      read: 50,
      processed: 50 - 4 - 23,
      dropped: 27,
    });
  });

  it('end the tracks of a detector that does not look over borders', async () => {
    const server = await watchStream(square({ frames: 25 }), {}, squareDetector({ followsStreams: false }));
    expect(spans(server)).to.deep.equal([[[0, 9, false]], [[10, 19, false]], [[20, 24, false]]]);
    expect(names(server).size).to.equal(3);
    expect(eventsOf(server, 'activity')).to.have.length(3);
    expect(eventsOf(server, 'trackBegan')).to.have.length(3);
  });

  it('lie where frames have another size from then on, too', async () => {
    const small = square({ frames: 14 });
    const large = square({ frames: 14, width: 300, height: 120 });
    const server = await watchStream({
      async *frames() {
        for await (const frame of small.frames()) if (frame.index < 7) yield frame;
        for await (const frame of large.frames()) if (frame.index >= 7) yield frame;
      },
    });
    expect(spans(server)).to.deep.equal([[[0, 6, false], [7, 9, true]], [[10, 13, false]]]); // oxfmt-ignore
    expect(eventsOf(server, 'opened').map((event) => 'width' in event && event.width)).to.deep.equal([
      200, 300,
    ]);
  });

  it('end what was followed before a stall', async () => {
    const before: StreamOf['before'] = (index, tell) => {
      if (index !== 14) return;
      tell({ type: 'stalled', at: BEGAN + 600, cause: 'No picture came.' });
      tell({ type: 'running', at: BEGAN + 900_000 });
    };
    const server = await watchStream({ ...square({ frames: 20 }), before });
    expect(spans(server)).to.deep.equal([[[0, 9, true]], [[10, 13, false], [14, 19, true]]]); // oxfmt-ignore
    expect(eventsOf(server, 'stalled', 'running').map(({ type }) => type)).to.deep.equal([
      'stalled',
      'running',
    ]);
  });

  it('hold tracks in the form that tracks of videos get', async () => {
    const properties = {
      SEARCH_REGION_ENABLE_DETECTION: 'true',
      SEARCH_REGION_TOP_LEFT_X_DETECTION: '10',
      DETECTION_PADDING_X: '2',
      MOVING_TRACK_LABELS_ENABLED: 'true',
      MOVING_TRACK_MAX_IOU: '0.7',
      MOVING_TRACK_MIN_DETECTIONS: '1',
    };
    const { segments } = await watchStream(square({ frames: 10 }), { properties });
    const [track] = segments[0]!.tracks;
    expect(track!.detections[0]).to.deep.include({ x: 18, y: 30, width: 14, height: 10 });
    expect(track!.properties).to.deep.equal({ MOVING: 'TRUE' });
  });

  it('leave out what is below the thresholds, and do not tell of its beginning', async () => {
    const weak = await watchStream(square({ frames: 10 }), {
      properties: { QUALITY_SELECTION_THRESHOLD: '0.95' },
    });
    const small = await watchStream(square({ frames: 10 }), { properties: { MIN_DETECTION_WIDTH: '11' } });
    for (const server of [weak, small]) {
      expect(spans(server)).to.deep.equal([[]]);
      expect(eventsOf(server, 'activity', 'trackBegan', 'trackEnded')).to.deep.equal([]);
    }
  });

  it('tell the server, and the log, what a document would have among its warnings, once', async () => {
    const log: string[] = [];
    const work = await workOf('motion', {
      segmentSize: 10,
      properties: { QUALITY_SELECTION_THRESHOLD: 'high' },
    });
    const detector = squareDetector({ followsStreams: false });
    const server = await watchToEnd({ detector, open: liveSource(square({ frames: 30 })), work, log });
    const isTheOne = (line: string) => line.includes('which is not a number');
    expect(log.filter(isTheOne)).to.have.length(1);
    const warnings = server.events.filter((event) => event.type === 'warning');
    expect(warnings.filter(({ message }) => isTheOne(message))).to.have.length(1);
  });

  it('leave out tracks that are too short as a whole', async () => {
    const isThere = (frame: number) => (frame > 0 && frame < 5) || (frame > 6 && frame < 13) || frame > 15;
    const server = await watchStream(square({ frames: 19 }, isThere), {
      properties: { MIN_TRACK_LENGTH: '6' },
    });
    expect(spans(server)).to.deep.equal([[[7, 9, true]], [[10, 12, false]]]);
  });
});

describe('Events of a live stream', () => {
  it('tell of the beginning and the end of a track, and of the first detection of each segment', async () => {
    const server = await watchStream(square({ frames: 30 }, (frame) => frame > 4 && frame < 15));
    const [began, ended] = eventsOf(server, 'trackBegan', 'trackEnded');
    const [liveId] = names(server);
    expect(began).to.deep.include({
      liveId,
      trackType: 'THING',
      at: BEGAN + 200,
      frame: 5,
      x: 25,
      y: 30,
      width: 10,
      height: 10,
    });
    expect(ended).to.deep.equal({ type: 'trackEnded', liveId, at: BEGAN + 560, frame: 14 });
    expect(eventsOf(server, 'activity')).to.deep.equal([
      { type: 'activity', at: BEGAN + 200, frame: 5 },
      { type: 'activity', at: BEGAN + 400, frame: 10 },
    ]);
    expect(server.events[0]).to.deep.equal({ type: 'opened', at: BEGAN, width: 200, height: 80, fps: 25 });
  });

  it('say where the first track of a segment starts, also when the track counts later', async () => {
    const isThere = (frame: number) => frame > 3 && frame < 15;
    const detector = squareDetector({ minDetections: 4 });
    const server = await watchStream(square({ frames: 20 }, isThere), {}, detector);
    expect(spans(server)).to.deep.equal([[[4, 9, true]], [[10, 14, false]]]);
    expect(eventsOf(server, 'activity')).to.deep.equal([
      { type: 'activity', at: BEGAN + 160, frame: 4 },
      { type: 'activity', at: BEGAN + 400, frame: 10 },
    ]);
    expect(eventsOf(server, 'trackBegan')).to.have.length(1);
  });
});

describe('The motion gate of a live stream', () => {
  const moment = (frame: number) => frame >= 100 && frame < 130;

  it('spares the detector frames in which nothing moves, and counts them apart', async () => {
    const looked: number[] = [];
    const detector = squareDetector({ onLooked: ({ index }) => void looked.push(index) });
    const properties = { MOTION_GATE: 'TRUE' };
    const server = await watchStream(
      square({ frames: 300 }, moment),
      { segmentSize: 50, properties },
      detector,
    );
    const { counts } = server.segments.at(-1)!.summary;
    expect(counts.processed).to.equal(looked.length);
    expect(counts.processed + counts.skipped).to.equal(300);
    // Frames with changes or motion, and for a moment after each.
    expect(counts.skipped).to.be.above(150);
    expect(looked).to.include.members([...Array(30).keys()].map((frame) => frame + 100));
    expect(spans(server).flat()).to.deep.equal([[100, 129, false]]);
  });

  it('lets everything pass unless it is asked for', async () => {
    const { segments } = await watchStream(square({ frames: 60 }, moment));
    expect(segments.at(-1)!.summary.counts).to.deep.include({ processed: 60, skipped: 0 });
  });

  it('keeps what it has learned when a detector is called anew for each segment', async () => {
    const detector = squareDetector({ followsStreams: false });
    const server = await watchStream(
      square({ frames: 200 }, () => false),
      { properties: { MOTION_GATE: 'true' } },
      detector,
    );
    expect(server.segments.at(-1)!.summary.counts.skipped).to.be.above(140);
  });
});

describe('The end of a live stream', () => {
  it('is told when it stalled for too long', async () => {
    const end = { reason: 'stalled', detail: 'The stream stalled for too long.' } as const;
    const server = await watchStream({ ...square({ frames: 13 }), end });
    expect(server.end).to.deep.equal(end);
    expect(spans(server)).to.deep.equal([[[0, 9, true]], [[10, 12, false]]]);
  });

  it('is a failure when it cannot be opened', async () => {
    const end = {
      reason: 'failed',
      detail: 'The address returns a web page, not a video.',
    } as const;
    const server = await watchStream({ frames: async function* () {}, end });
    expect(server.failure).to.deep.equal({ code: 'COULD_NOT_OPEN_MEDIA', message: end.detail });
    expect([server.segments, server.end]).to.deep.equal([[], undefined]);
  });

  it('is a failure when the detector fails; what it had found is told', async () => {
    const onLooked = ({ index }: { index: number }) => {
      if (index === 13) throw new DetectionError('GPU_ERROR', 'The card is gone.');
    };
    const server = await watchStream(square({ frames: 20 }), {}, squareDetector({ onLooked }));
    expect(server.failure).to.deep.equal({ code: 'GPU_ERROR', message: 'The card is gone.' });
    expect(spans(server)).to.deep.equal([[[0, 9, true]], [[10, 12, false]]]);
  });

  it('is a failure when properties do not allow to look at it', async () => {
    const server = await watchStream(square({ frames: 3 }), { properties: { ROTATION: 'sideways' } });
    expect(server.failure?.code).to.equal('INVALID_PROPERTY');
  });

  it('is a failure for a component that knows no pictures', async () => {
    const deaf: Detector = { async *image() {} };
    const still = picture(8, 8, () => [0, 0, 0]);
    const server = await watchStream({ async *frames() { yield still; } }, {}, deaf); // oxfmt-ignore
    expect(server.failure?.code).to.equal('UNSUPPORTED_DATA_TYPE');
  });
});
