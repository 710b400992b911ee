import { expect } from 'chai';
import sharp from 'sharp';
import { ProtocolError } from '../../../components/sdk/failure.ts';
import { StreamReport } from '../../../components/sdk/work/stream-report.ts';
import type { StreamAnswer, StreamEvent } from '../../../protocol/streams.ts';
import { StreamReceiver, TOKEN } from '../../support/servers/stream-receiver.ts';
import { until } from '../../support/until.ts';
import { BEGAN, liveSource, watch, workOf, type Before, type StreamOf } from './live-stream.ts';
import { square, squareDetector, type SquareOptions } from './live-square.ts';

const NEVER = new Promise<void>(() => undefined);
/** A camera that sends nothing from this frame on. */
const silentFrom =
  (frame: number): Before =>
  (index) =>
    index === frame ? NEVER : undefined;

/** Frames come as fast as they are processed, so this leaves time to other work in the event loop. */
const turn: Before = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Finds the centre of the moving square in a picture, and that of the box that is drawn around it. */
async function squareAndBox(picture: Buffer) {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).to.deep.equal([200, 80]);
  const at = (x: number, y: number) => [...data.subarray((y * 200 + x) * 3, (y * 200 + x) * 3 + 3)];
  const columns = [...Array(200).keys()];
  // The inside of the square is unchanged. Its edge is a coloured line.
  const bright = columns.filter((x) => Math.min(...at(x, 35)) > 200);
  const coloured = columns.filter((x) => Math.max(...at(x, 30)) - Math.min(...at(x, 30)) > 40);
  expect(bright).to.have.length.above(3);
  expect(coloured).to.have.length.above(3);
  return { middle: middleOf(bright), boxMiddle: middleOf(coloured) };
}

const middleOf = (columns: readonly number[]): number => (columns[0]! + columns.at(-1)!) / 2;

describe('A component that watches a live stream', function () {
  this.timeout(240_000);
  let server: StreamReceiver;
  let worker: ReturnType<typeof watch> | undefined;
  let log: string[];

  beforeEach(async () => {
    server = await new StreamReceiver().start();
    log = [];
  });
  afterEach(async () => {
    worker?.stop();
    await worker?.ended;
    worker = undefined;
    await server.stop();
  });

  async function watchCamera(stream: StreamOf, options: SquareOptions = {}, segmentSize = 10): Promise<void> {
    const work = await workOf('motion', { segmentSize });
    worker = watch({ server, detector: squareDetector(options), open: liveSource(stream), work, log });
  }

  const isOver = () => until('the stream is over', () => server.isOver);
  const lastFrames = () => server.segments.map(({ summary }) => summary.stopFrame);

  describe('that is cancelled', () => {
    const silent = { ...square({ frames: 30 }), before: silentFrom(25) };
    const isWaiting = () => until('the camera is silent', () => server.segments.length === 2);

    async function cancelAndWait(cancel: () => void): Promise<void> {
      await isWaiting();
      cancel();
      await isOver();
    }

    it('reports the open segment and ends with the next heartbeat, though its camera is silent', async () => {
      await watchCamera(silent);
      await cancelAndWait(() => (server.heartbeat = { status: 200, go: 'cancelled' }));
      expect(lastFrames()).to.deep.equal([9, 19, 24]);
      expect(server.segments[2]!.tracks[0]).to.deep.include({ startFrame: 20, stopFrame: 24 });
      expect(server.segments[2]!.tracks[0]).not.to.have.property('open');
      expect(server.end).to.deep.equal({ reason: 'cancelled', detail: 'Cancelled.' });
    });

    it('learns of it from any answer as well', async () => {
      await watchCamera(silent);
      await cancelAndWait(() => (server.answer = { go: 'cancelled' }));
      expect([server.end?.reason, lastFrames()]).to.deep.equal(['cancelled', [9, 19, 24]]);
    });

    it('does not wait for a detector that is busy', async () => {
      let isBusy = false;
      const onLooked: SquareOptions['onLooked'] = ({ index }, signal) => {
        if (index !== 25) return;
        isBusy = true;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
      await watchCamera(square({ frames: 30 }), { onLooked });
      await until('the detector is busy', () => isBusy);
      await cancelAndWait(() => (server.heartbeat = { status: 200, go: 'cancelled' }));
      expect([server.end?.reason, server.failure]).to.deep.equal(['cancelled', undefined]);
      expect(server.segments[2]!.tracks[0]).to.deep.include({ startFrame: 20, stopFrame: 24 });
    });

    it('gives back its lease, with what it has, when only its process is to end', async () => {
      await watchCamera(silent);
      await cancelAndWait(() => worker!.stop());
      expect([server.released, server.end, lastFrames()]).to.deep.equal([true, undefined, [9, 19, 24]]);
    });

    it('says nothing more when its lease is lost', async () => {
      await watchCamera(silent);
      await isWaiting();
      server.heartbeat = { status: 409, go: 'on' };
      server.segmentStatus = 409;
      const claims = server.claims;
      await until('it claims again', () => server.claims > claims);
      expect([server.isOver, lastFrames()]).to.deep.equal([false, [9, 19]]);
    });
  });

  it('tells of a growing progress while its camera is silent', async () => {
    await watchCamera({ ...square({ frames: 30 }), before: silentFrom(25), beats: true });
    const seen = await until(
      'progress goes on',
      () => new Set(server.progress),
      ({ size }) => size > 3,
    );
    expect([...seen]).to.deep.equal([...seen].toSorted((a, b) => a - b));
  });

  it('keeps segments while the server is away, and sends them in their order', async () => {
    let frame = 0;
    const before: Before = async (index, tell) => {
      frame = index;
      await turn(index, tell);
      if (index === 20) await server.stop();
    };
    await watchCamera({ ...square({ frames: 90 }), before });
    await until('the stream went on without the server', () => frame > 60);
    await server.start();
    await isOver();
    expect(server.segments.map(({ number }) => number)).to.deep.equal([...Array(9).keys()]);
    expect(
      new Set(server.segments.flatMap(({ tracks }) => tracks.map(({ liveId }) => liveId))).size,
    ).to.equal(1);
  });

  it('sends a segment again when the server is busy', async () => {
    server.segmentStatus = 503;
    await watchCamera({ ...square({ frames: 30 }), before: silentFrom(25) });
    await until('it was refused', () => server.refusedSegments > 1);
    expect(server.segments).to.deep.equal([]);
    server.segmentStatus = 200;
    await until('both have come', () => server.segments.length === 2);
  });

  it('sends pictures with boxes while somebody looks, and none otherwise', async () => {
    const isThere = (frame: number) => frame > 5;
    let frame = 0;
    const before: Before = async (index, tell) => {
      frame = index;
      await turn(index, tell);
    };
    await watchCamera({ ...square({ frames: 100_000 }, isThere), before });
    await until('it has seen something', () => frame > 20);
    expect(server.pictures).to.have.length(0);
    server.answer = { go: 'on', wantsFrame: true };
    await until('there are pictures', () => server.pictures.length > 4);
    server.answer = { go: 'on' };
    const places = await Promise.all(server.pictures.map(squareAndBox));
    // The square moves by one pixel per frame.
    for (const { middle, boxMiddle } of places) expect(boxMiddle).to.be.closeTo(middle, 1);
    expect(new Set(places.map(({ middle }) => Math.round(middle))).size).to.be.above(1);
  });

  it('sends events in at most about ten lists a second, urgent ones at once', async () => {
    const flickers = (frame: number) => frame % 6 < 3;
    await watchCamera({ ...square({ frames: 300 }, flickers), before: turn });
    await isOver();
    expect(server.events.filter(({ type }) => type === 'trackBegan')).to.have.length.above(45);
    const seconds = (server.lists.at(-1)! - server.lists[0]!) / 1000;
    // Each of the thirty segments has an activity, which is sent at once.
    expect(server.lists.length).to.be.below(seconds * 11 + 30);
  });
});

describe('The report of a live stream', () => {
  const answer: StreamAnswer = { go: 'on' };
  const counts = () => ({ read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 });

  /** A report to a server that responds as in `fate`, and the received messages. */
  function reportTo(
    fate: (message: string) => Promise<void> | void,
    kept: { keptCharacters?: number; keptEvents?: number } = {},
  ) {
    const arrived: string[] = [];
    const over: number[] = [];
    const take = async (message: string) => {
      await fate(message);
      arrived.push(message);
      return answer;
    };
    const report = new StreamReport({
      ...kept,
      token: TOKEN,
      counts,
      client: {
        segment: async (_token, number) => take(`segment ${number}`),
        events: async (_token, { events }) => take(`events ${events.map(({ at }) => at).join()}`),
        frame: async () => take('frame'),
        end: async () => void take('end'),
      },
      onAnswer: () => undefined,
      onOver: ({ status }) => over.push(status),
      log: () => undefined,
    });
    return { report, arrived, over };
  }

  const event = (at: number): StreamEvent => ({ type: 'trackEnded', at, liveId: 'a', frame: 1 });
  const segmentsIn = (arrived: readonly string[]) =>
    arrived.filter((message) => message.startsWith('segment'));

  it('lets a segment arrive after the events that were told before it', async () => {
    const { report, arrived } = reportTo(() => undefined);
    report.event(event(1));
    report.segment(0, 'lines');
    report.event(event(2));
    report.segment(1, 'lines');
    await report.flush();
    expect(arrived).to.deep.equal(['events 1,2', 'segment 0', 'segment 1']);
    report.close();
  });

  it('gives up the oldest segments when too many wait', async () => {
    let isAway = true;
    const fate = () => {
      if (isAway) throw new ProtocolError(503, 'busy');
    };
    const { report, arrived } = reportTo(fate, { keptCharacters: 35 });
    for (let number = 0; number < 10; number++) report.segment(number, 'ten chars.');
    expect(report.lostSegments).to.equal(7);
    isAway = false;
    await report.flush();
    expect(segmentsIn(arrived)).to.deep.equal(['segment 7', 'segment 8', 'segment 9']);
    report.close();
  });

  it('sends what is urgent as soon as the list has arrived that was on its way', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const { report, arrived } = reportTo((message) => (message === 'events 1' ? held : undefined));
    report.event(event(1), true);
    // Its list is sent in the next turn of the timers.
    await new Promise((resolve) => setTimeout(resolve, 5));
    report.event(event(2), true);
    letGo();
    // Earlier timers run first, even on a busy machine. The pause between two lists is 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(arrived).to.deep.equal(['events 1', 'events 2']);
    report.close();
  });

  it('sends urgent reports before the next frame, with the other reports of the same frame', async () => {
    const { report, arrived } = reportTo(() => undefined);
    const nextFrame = new Promise<readonly string[]>((resolve) => setImmediate(() => resolve([...arrived])));
    report.event(event(1), true);
    report.event(event(2));
    expect(await nextFrame).to.deep.equal(['events 1,2']);
    report.close();
  });

  it('gives up the oldest events when too many wait', async () => {
    const { report, arrived } = reportTo(() => undefined, { keptEvents: 3 });
    for (let at = 0; at < 10; at++) report.event(event(at));
    await report.flush();
    expect(arrived).to.include('events 7,8,9');
    report.close();
  });

  it('goes on when a list of events is refused, and sends no long ones', async () => {
    const fate = (message: string) => {
      if (message.startsWith('events 0,')) throw new ProtocolError(413, 'too large');
    };
    const { report, arrived, over } = reportTo(fate);
    for (let at = 0; at < 250; at++) report.event(event(at));
    await report.flush();
    const lists = arrived.filter((message) => message.startsWith('events'));
    expect(lists.map((list) => list.split(',').length)).to.deep.equal([100, 50]);
    expect(over).to.deep.equal([]);
    report.close();
  });

  it('stops at once when its lease is lost', async () => {
    const fate = () => {
      throw new ProtocolError(409, 'lost');
    };
    const { report, over } = reportTo(fate);
    report.segment(1, 'lines');
    await report.flush();
    await report.end({ reason: 'ended', detail: '' });
    expect(over).to.deep.equal([409]);
  });

  it('does not wait for longer than it may', async () => {
    const fate = () => {
      throw new ProtocolError(503, 'busy');
    };
    const { report, arrived } = reportTo(fate);
    report.segment(1, 'lines');
    await report.flush(50);
    expect(arrived).to.deep.equal([]);
    report.close();
  });

  it('lets the end come last', async () => {
    const { report, arrived } = reportTo(() => undefined);
    for (let number = 0; number < 3; number++) report.segment(number, 'lines');
    report.event(event(BEGAN));
    await report.flush();
    await report.end({ reason: 'ended', detail: '' });
    expect(arrived).to.have.length(5);
    expect(arrived.at(-1)).to.equal('end');
    report.close();
  });
});
