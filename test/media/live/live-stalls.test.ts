import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { accessUnits, jpegOf, transportStream } from '../../support/media/coded-media.ts';
import { h264Over } from '../../support/media/rtp-pictures.ts';
import type { RtspBehaviour, RtspServer } from '../../support/servers/rtsp-server.ts';
import { multipart } from '../../support/servers/stream-server.ts';
import { until } from '../../support/until.ts';
import {
  Watching,
  closeServers,
  http,
  rtsp as rtspOf,
  smallClip,
  types,
  watch,
  withLogin,
} from './live-watching.ts';
import { scratchFolder } from '../support/samples.ts';

const folder = scratchFolder();
const file = smallClip(folder);
const clip = accessUnits(file);
const stream = transportStream(file);
const rtsp = (of: (connection: number) => Partial<RtspBehaviour>): Promise<RtspServer> => rtspOf(clip, of);
afterEach(closeServers);
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a live stream that stops to give frames', () => {
  const some = clip.units.slice(0, 50);
  const part = h264Over({ ...clip, units: some });
  const quick = { alertMs: 600, timeoutMs: -1 };

  it('is opened anew after its connection was lost; frames are numbered on', async () => {
    const { url } = await rtsp((connection) => ({ ...part, after: connection < 2 ? 'drop' : 'bye' }));
    const watched = await watch(url, { stall: { alertMs: 20_000, timeoutMs: -1 } });
    expect(types(watched)).to.deep.equal(['opened', 'reconnecting', 'reconnecting']);
    expect(watched.counts).to.include({ reconnects: 2 });
    expect(watched.end.reason).to.equal('ended');
    const numbers = watched.frames.map(({ index }) => index);
    expect(numbers).to.deep.equal([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(numbers.at(-1)).to.equal(watched.counts.decoded - 1);
    const times = watched.frames.map(({ time }) => time);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it('is lost when a sender that tells no end closes the connection, over HTTP', async () => {
    let watching: Watching | undefined;
    // Closes the connection after the first frame, because a stream without any frame is not reopened.
    const seen = () => until('a frame came', () => (watching?.frames.length ?? 0) > 0);
    const { url } = await http((visit) => ({
      pieces: stream.slice(0, 60),
      speed: 8,
      ready: async (sent) => sent < 60 || seen(),
      after: visit === 0 ? 'drop' : 'end',
    }));
    watching = new Watching(url, { stall: { alertMs: 20_000, timeoutMs: -1 } });
    const { events, end, counts } = await watching.over;
    expect(events[1]).to.include({ type: 'reconnecting' });
    expect(end.reason).to.equal('ended');
    expect(counts.reconnects).to.equal(1);
  });

  it('goes on when it only slows down, and its frames have the times at which they were taken', async () => {
    const [fromMs, slowMs] = [20 * clip.frameMs, 250];
    const slowDown = (ms: number) => (ms <= fromMs ? ms : fromMs + ((ms - fromMs) * slowMs) / clip.frameMs);
    const units = clip.units
      .slice(0, 30)
      .map((unit) => ({ ...unit, dueMs: slowDown(unit.dueMs), ptsMs: slowDown(unit.ptsMs) }));
    let watching: Watching | undefined;
    // Sends the next picture when the earlier ones were fetched, except for those that the decoder buffers.
    const ready = (sent: number) =>
      until('the frames were fetched', () => (watching?.frames.length ?? 0) >= sent - 3);
    const { url } = await rtsp(() => ({ ...h264Over({ ...clip, units }), speed: 1, ready }));
    watching = new Watching(url, { stall: { alertMs: 20 * slowMs, timeoutMs: 0 } });
    const { events, frames, counts } = await watching.over;
    expect(events.map(({ type }) => type)).to.deep.equal(['opened']);
    expect(counts.dropped).to.equal(0);
    const times = frames.slice(-6).map(({ time }) => time);
    // At the cuts of the clip, frames are missing that were encoded after later frames.
    for (const [n, time] of times.slice(1).entries()) {
      const steps = Math.round((time - times[n]!) / slowMs);
      expect(steps).to.be.at.least(1);
      expect(time - times[n]!).to.be.closeTo(steps * slowMs, 1);
    }
  });

  it('is STALLED after the alert threshold and recovers with a frame of a new connection', async () => {
    const { url } = await rtsp((connection) => ({ ...part, after: connection === 0 ? 'stall' : 'bye' }));
    const watched = await watch(url, { stall: quick });
    expect(types(watched)).to.deep.equal(['opened', 'stalled', 'reconnecting', 'running']);
    expect(watched.events[1])
      .to.have.property('cause')
      .that.matches(/^No picture came from the camera for \d+ ms\.$/);
    expect(watched.end.reason).to.equal('ended');
  });

  for (const [what, timeoutMs, expected] of [
    ['a stallTimeout above the alert threshold', 1_500, ['opened', 'stalled', 'reconnecting']],
    ['one below it, without being told as STALLED', 400, ['opened']],
    ['one of 0, at once when a stall is one', 0, ['opened']],
  ] as const)
    it(`is given up after ${what}`, async () => {
      const { url } = await rtsp((connection) =>
        connection === 0 ? { ...part, after: 'stall' } : { silentAt: 'DESCRIBE' },
      );
      const watching = new Watching(url, { stall: { alertMs: 600, timeoutMs } });
      const { end, frames, events } = await watching.over;
      expect(end.reason).to.equal('stalled');
      expect(end.detail).to.match(/^The stream stalled for too long\. No picture came/);
      expect(types({ events }).slice(0, 3)).to.deep.equal(expected);
      expect(Date.now() - frames.at(-1)!.at).to.be.greaterThan(Math.max(timeoutMs, 400) - 50);
    });

  it('is given up at once with a stallTimeout of 0 when its connection is lost', async () => {
    const server = await rtsp(() => ({ ...part, after: 'drop' }));
    const { end, events } = await watch(server.url);
    expect(end).to.deep.equal({
      reason: 'stalled',
      detail: 'The camera has closed the connection. With a stallTimeout of 0, Troupe does not reconnect.',
    });
    expect(types({ events })).to.deep.equal(['opened']);
    expect(server.connections).to.equal(1);
  });

  it('with a stallTimeout of -1 is tried for ever, and its reader shows that it lives', async () => {
    const server = await rtsp((connection) =>
      connection === 0 ? { ...part, after: 'drop' } : { instead: { DESCRIBE: '503 Later' } },
    );
    const watching = new Watching(server.url, { stall: quick });
    await until('it was tried ten times', () => server.connections >= 10);
    const { beats } = watching.source.counts;
    await until('its loop turns', () => watching.source.counts.beats > beats + 5);
    expect(types(watching).slice(0, 2)).to.deep.equal(['opened', 'reconnecting']);
    expect(types(watching).filter((type) => type === 'stalled')).to.have.length(1);
    watching.cancel();
  });

  it('is not asked again with a password that was refused', async () => {
    const login = { scheme: 'Digest', user: 'u', password: 'changed' } as const;
    const server = await rtsp((connection) => (connection === 0 ? { ...part, after: 'drop' } : { login }));
    const { end } = await watch(withLogin(server.url, 'u:old'), { stall: quick });
    expect(end).to.include({ reason: 'failed', fault: 'UNAUTHORIZED' });
    expect(server.connections).to.equal(2);
  });

  it('is STALLED when what comes is damaged, and says so', async () => {
    const good = jpegOf(Buffer.alloc(64 * 48 * 3), 64, 48);
    const bad = Buffer.alloc(good.length, 7);
    const pictures = Array.from({ length: 400 }, (_, n) => ({ dueMs: n * 5, data: n < 10 ? good : bad }));
    const { url } = await http((visit) => (visit === 0 ? multipart(pictures) : undefined));
    const { end, events, counts } = await watch(url, { stall: { alertMs: 400, timeoutMs: 1_000 } });
    expect(events.find(({ type }) => type === 'stalled'))
      .to.have.property('cause')
      .that.matches(/could not be decoded/);
    expect(end.reason).to.equal('stalled');
    expect(counts.damaged).to.be.greaterThan(0);
  });

  it('is one that was seen before when it cannot be opened: then it is tried again', async () => {
    const { url } = await rtsp((connection) =>
      connection < 2 ? { instead: { DESCRIBE: '503 Later' } } : { after: 'teardown' },
    );
    const watched = await watch(url, { stall: { alertMs: 20_000, timeoutMs: 20_000 }, seenBefore: true });
    expect(types(watched)).to.deep.equal(['reconnecting', 'reconnecting', 'opened']);
    expect(watched.end.reason).to.equal('ended');
  });
});
