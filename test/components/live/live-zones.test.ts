/**
 * Zones of a live stream in the host of a detector: exact frames on a known path, pictures, and the state for
 * the next component.
 */
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN } from '../../../domain/zones/watch-state.ts';
import loadMotionDetector from '../../../components/detectors/motion/detector.ts';
import type { Detector } from '../../../components/sdk/detector.ts';
import type { StreamEvent, WatchedEvent, ZoneWork } from '../../../protocol/streams.ts';
import { BEGAN, liveSource, watchToEnd, workOf, type StreamOf } from './live-stream.ts';
import { square, squareDetector, squareIn, type SquareOptions } from './live-square.ts';

/** From pixel 50 to 70 of 200. The ground point of the square is at x = 25 + frame. */
const STRIP: ZonePlan['zones'][number] = {
  name: 'strip',
  points: [
    [0.25, 0],
    [0.35, 0],
    [0.35, 1],
    [0.25, 1],
  ],
};
const PLAN: ZonePlan = {
  zones: [STRIP],
  lines: [
    {
      name: 'middle',
      points: [
        [0.3, 0],
        [0.3, 1],
      ],
    },
  ],
  rules: [{ name: 'slow', zone: 'strip', longerThan: 0.4, classes: ['thing'] }],
};
const NEW: ZoneWork = { plan: PLAN, state: NOTHING_SEEN, seq: 0 };

type Zones = Extract<StreamEvent, { type: 'zones' }>;

/** The picture shows the bright square with a margin of dark pixels. */
async function expectSquare({ type, crop }: WatchedEvent): Promise<void> {
  expect(crop, type).to.be.a('string');
  const picture = sharp(Buffer.from(crop!, 'base64'));
  expect(await picture.metadata()).to.include({ format: 'jpeg', width: 12, height: 12 });
  const { channels } = await picture.stats();
  expect(channels[0]!.mean).to.be.within(150, 220);
}

describe('Zones of a live stream in its component', function () {
  this.timeout(60_000);
  const watchWith = async (
    stream: StreamOf,
    zones: ZoneWork | undefined,
    detector: Detector,
    component = 'faces',
  ) => {
    const work = await workOf(component, { segmentSize: 10, ...(zones && { zones }) });
    const server = await watchToEnd({ detector, open: liveSource(stream), work });
    const messages = server.events.filter((event): event is Zones => event.type === 'zones');
    return { messages, properties: server.segments.map(({ tracks }) => tracks.map((one) => one.properties)) };
  };
  const watchAll = (stream: StreamOf, zones?: ZoneWork, options: SquareOptions = {}) =>
    watchWith(stream, zones, squareDetector(options));
  const zonesOf = async (...given: Parameters<typeof watchWith>) => (await watchWith(...given)).messages;
  const watchZones = async (...given: Parameters<typeof watchAll>) => (await watchAll(...given)).messages;
  const eventsIn = (messages: readonly Zones[]) => messages.flatMap(({ events }) => events);
  const stepsOf = (messages: readonly Zones[]) =>
    messages.flatMap(({ events }) => events.map(({ type, frame }) => [type, frame] as const));

  it('tell the exact frames of entry, rule, crossing and exit, over borders of segments', async () => {
    const messages = await watchZones(square({ frames: 60 }), NEW);
    expect(stepsOf(messages)).to.deep.equal([
      ['trackBegan', 0],
      ['entered', 25],
      ['rule', 35],
      ['crossed', 36],
      ['left', 45],
      ['trackEnded', 59],
    ]);
    expect(messages.map(({ seq }) => seq)).to.deep.equal(messages.map((_, index) => index + 1));
    const rule = messages.flatMap(({ events }) => events).find(({ type }) => type === 'rule');
    expect(rule).to.deep.include({ at: BEGAN + 1_400, since: BEGAN + 1_000, dwellMs: 400, class: 'THING' });
    expect(rule!.box).to.deep.equal({ x: 55, y: 30, width: 10, height: 10 });
  });

  it('show the box of what is in the picture', async () => {
    const messages = await watchZones(square({ frames: 30 }), NEW);
    const [entered] = messages.flatMap(({ events }) => events).filter(({ type }) => type === 'entered');
    await expectSquare(entered!);
  });

  it('show a track that ends in its last frame, also after frames without it', async () => {
    const messages = await watchZones(
      square({ frames: 60 }, (frame) => frame < 40),
      { ...NEW, plan: { ...PLAN, rules: [{ name: 'gone', zone: 'strip', event: 'LEAVE' }] } },
    );
    const events = eventsIn(messages).filter(({ frame }) => frame === 39);
    expect(events.map(({ type }) => type)).to.deep.equal(['left', 'rule', 'trackEnded']);
    for (const event of events) {
      expect(event).to.not.have.any.keys('cropFrame', 'cropAt');
      await expectSquare(event);
    }
  });

  it('show each of several tracks when the stream ends', async () => {
    const beats = 3;
    const both: Detector = {
      followsStreams: true,
      async *video(source, job) {
        const live = job.live!;
        const names = Array.from({ length: 10 }, () => live.newTrack());
        for await (const frame of source.frames())
          for (const [n, name] of names.entries())
            if (frame.index < beats || n === 0) live.seen(name, { ...squareIn(frame)[0]!, y: 30 + n / 10 });
        yield* [];
      },
    };
    const events = eventsIn(await zonesOf(square({ frames: 6 }), NEW, both));
    const ended = events.filter(({ type }) => type === 'trackEnded');
    expect(ended.map(({ frame }) => frame)).to.deep.equal([5, ...Array<number>(9).fill(beats - 1)]);
    for (const event of [...events]) await expectSquare(event);
  });

  it('show a track that counts late in its newest frame, and name that frame', async () => {
    const from26 = square({ frames: 60 }, (frame) => frame >= 26);
    const events = eventsIn(await watchZones(from26, NEW, { minDetections: 5 }));
    const early = events.filter(({ frame }) => frame < 30);
    expect(early.map(({ type, frame }) => [type, frame])).to.deep.equal([
      ['trackBegan', 26],
      ['entered', 26],
    ]);
    for (const event of early) {
      expect(event).to.include({ cropFrame: 30, cropAt: BEGAN + 30 * 40 });
      await expectSquare(event);
    }
    for (const event of events.filter(({ frame }) => frame > 30)) await expectSquare(event);
  });

  it('show what MOTION finds, which counts from the fifth detection on', async () => {
    const detector = await loadMotionDetector();
    const moving = square({ frames: 90 }, (frame) => frame > 25);
    const events = eventsIn(await zonesOf(moving, NEW, detector, 'motion'));
    const [began] = events;
    expect(began).to.include({ type: 'trackBegan', cropFrame: began!.frame + 4 });
    expect(events.map(({ type }) => type)).to.include.members(['entered', 'crossed', 'left', 'trackEnded']);
    for (const event of events) expect(event, event.type).to.have.property('crop');
  });

  it('continue in another component with the state of the last message', async () => {
    const first = await watchZones(square({ frames: 30 }), NEW);
    const before = first.find(({ events }) => events.some(({ type }) => type === 'entered'))!;
    const second = square({ frames: 60 });
    const rest: StreamOf = {
      async *frames() {
        for await (const frame of second.frames()) if (frame.index >= 30) yield frame;
      },
    };
    const { messages, properties } = await watchAll(rest, {
      plan: PLAN,
      state: before.state,
      seq: before.seq,
    });
    expect(stepsOf(messages)).to.deep.equal([
      ['rule', 35],
      ['crossed', 36],
      ['left', 45],
      ['trackEnded', 59],
    ]);
    expect(messages[0]!.seq).to.equal(before.seq + 1);
    const touched = { ZONES: 'strip', ZONE_DWELL_MS: 'strip=760', LINES_CROSSED: 'middle:TO_LEFT' };
    expect(properties.at(-1)).to.deep.equal([touched]);
    const [rule] = messages.flatMap(({ events }) => events);
    expect(rule).to.deep.include({ since: BEGAN + 1_000, track: before.events[0]!.track });
  });

  it('give the tracks of each segment properties by what they have touched so far', async () => {
    const { properties } = await watchAll(square({ frames: 60 }), NEW);
    const crossed = 'middle:TO_LEFT';
    expect(properties).to.deep.equal([
      [{}],
      [{}],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=160' }],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=560', LINES_CROSSED: crossed }],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=760', LINES_CROSSED: crossed }],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=760', LINES_CROSSED: crossed }],
    ]);
    expect((await watchAll(square({ frames: 60 }))).properties).to.deep.equal(
      Array.from({ length: 6 }, () => [{}]),
    );
  });

  it('give properties to tracks of a detector that does not follow things over borders', async () => {
    const { properties } = await watchAll(square({ frames: 40 }), NEW, { followsStreams: false });
    expect(properties).to.deep.equal([
      [{}],
      [{}],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=160' }],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=360', LINES_CROSSED: 'middle:TO_LEFT' }],
    ]);
  });

  it('work with a detector that does not follow things over borders', async () => {
    const messages = await watchZones(square({ frames: 20 }), NEW, { followsStreams: false });
    expect(stepsOf(messages)).to.deep.equal([
      ...[['trackBegan', 0], ['trackEnded', 9], ['trackBegan', 10], ['trackEnded', 19]], // oxfmt-ignore
    ]);
  });
});
