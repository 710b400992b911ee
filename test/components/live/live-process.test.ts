/** The process for a live stream, started like the server starts it. */
import { expect } from 'chai';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { accessUnits } from '../../support/media/coded-media.ts';
import type { RtspBehaviour } from '../../support/servers/rtsp-server.ts';
import { StreamReceiver } from '../../support/servers/stream-receiver.ts';
import { until } from '../../support/until.ts';
import { closeServers, rtsp } from '../../media/live/live-watching.ts';
import { workOf } from './live-stream.ts';
import { sample } from '../models/recorded-media.ts';

describe('A process that watches a live stream', function () {
  this.timeout(240_000);
  let server: StreamReceiver;
  let child: ChildProcessWithoutNullStreams | undefined;

  beforeEach(async () => {
    server = await new StreamReceiver().start();
  });
  afterEach(async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await Promise.all([server.stop(), closeServers()]);
  });

  async function startCamera(behaviour: Partial<RtspBehaviour>): Promise<ChildProcessWithoutNullStreams> {
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => behaviour);
    server.offer('FACE', await workOf('faces', { uri: camera.url, allowPrivate: true, segmentSize: 40 }));
    const [host, module] = ['host/main.js', 'detectors/faces/detector.js'].map((file) =>
      path.resolve('dist/components', file),
    );
    child = spawn(process.execPath, [host!]);
    const bootstrap = {
      kind: 'detector',
      algorithm: 'FACE',
      stream: true,
      module,
      serverUrl: server.url,
      token: 'x',
    };
    child.stdin.write(`${JSON.stringify(bootstrap)}\n`);
    return child;
  }

  it('claims streams of its algorithm, follows the face and tells of the end', async () => {
    await startCamera({ speed: 0.5 });
    await until('the stream has ended', () => server.isOver, Boolean, { withinMs: 90_000 });
    expect([server.failure, server.end?.reason]).to.deep.equal([undefined, 'ended']);
    expect(server.claimed).to.deep.equal(['STREAM:FACE']);
    const tracks = server.segments.flatMap(({ tracks }) => tracks);
    expect(new Set(tracks.map(({ liveId }) => liveId)).size).to.equal(1);
    for (const { frame, x, y, width, height } of tracks.flatMap(({ detections }) => detections)) {
      expect(x + width / 2).to.be.closeTo(20 + 4 * (frame - 10) + 115, 12);
      expect(y + height / 2).to.be.closeTo(60 + 107, 12);
    }
    expect(server.events.map(({ type }) => type)).to.include.members([
      'opened',
      'activity',
      'trackBegan',
      'trackEnded',
    ]);
  });

  for (const [what, end] of [
    ['it is told to end', (process: ChildProcessWithoutNullStreams) => void process.kill('SIGTERM')],
    ['its server is gone', (process: ChildProcessWithoutNullStreams) => void process.stdin.end()],
  ] as const)
    it(`gives the stream back with what it has when ${what}`, async () => {
      const process = await startCamera({ after: 'stall' });
      await until('it follows the face', () => server.events.some(({ type }) => type === 'trackBegan'));
      await until('a segment has come', () => server.segments.length > 0);
      const exit = once(process, 'exit');
      end(process);
      expect(await exit).to.deep.equal([0, null]);
      expect([server.released, server.end, server.failure]).to.deep.equal([true, undefined, undefined]);
      const { number, summary } = server.segments.at(-1)!;
      expect(summary.stopFrame).to.be.below(number * 40 + 40);
    });
});
