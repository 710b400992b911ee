/**
 * Zones of a live stream in the host of a detector: exact frames on a known path, pictures, and the state for
 * the next component.
 */
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN } from '../../../domain/zones/watch-state.ts';
import type { StreamEvent, ZoneWork } from '../../../protocol/streams.ts';
import { BEGAN, liveSource, watchToEnd, workOf, type StreamOf } from './live-stream.ts';
import { square, squareDetector } from './live-square.ts';

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

describe('Zones of a live stream in its component', function () {
  this.timeout(60_000);
  const watchAll = async (stream: StreamOf, zones?: ZoneWork, followsStreams = true) => {
    const work = await workOf('faces', { segmentSize: 10, ...(zones && { zones }) });
    const detector = squareDetector({ followsStreams });
    const server = await watchToEnd({ detector, open: liveSource(stream), work });
    const messages = server.events.filter((event): event is Zones => event.type === 'zones');
    return { messages, properties: server.segments.map(({ tracks }) => tracks.map((one) => one.properties)) };
  };
  const watchZones = async (...given: Parameters<typeof watchAll>) => (await watchAll(...given)).messages;
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
    const picture = sharp(Buffer.from(entered!.crop!, 'base64'));
    expect(await picture.metadata()).to.include({ format: 'jpeg', width: 12, height: 12 });
    const { channels } = await picture.stats();
    // The bright square with a margin of dark pixels.
    expect(channels[0]!.mean).to.be.within(150, 220);
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
    const { properties } = await watchAll(square({ frames: 40 }), NEW, false);
    expect(properties).to.deep.equal([
      [{}],
      [{}],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=160' }],
      [{ ZONES: 'strip', ZONE_DWELL_MS: 'strip=360', LINES_CROSSED: 'middle:TO_LEFT' }],
    ]);
  });

  it('work with a detector that does not follow things over borders', async () => {
    const messages = await watchZones(square({ frames: 20 }), NEW, false);
    expect(stepsOf(messages)).to.deep.equal([
      ...[['trackBegan', 0], ['trackEnded', 9], ['trackBegan', 10], ['trackEnded', 19]], // oxfmt-ignore
    ]);
  });
});
