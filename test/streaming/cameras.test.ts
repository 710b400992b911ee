/** Live streams from a camera to a report, through the whole service: real cameras' protocols, the reader, detectors and processes. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sample } from '../components/recorded.ts';
import { closeServers, rtsp, withLogin } from '../media/live-watching.ts';
import { accessUnits } from '../support/coded-media.ts';
import { sampleUri, Service, withoutRedis } from '../support/service.ts';
import { until } from '../support/until.ts';

const CLIP = 'face_move.mp4';
const SIZE = 20;

interface Info {
  readonly jobStatus: string;
  readonly jobStatusDetail: string | null;
  readonly segments: number;
  readonly frames: Readonly<Record<'read' | 'processed' | 'dropped' | 'skipped' | 'reconnects', number>>;
  readonly picture: { readonly width: number; readonly height: number } | null;
  readonly [name: string]: unknown;
}
interface Report {
  readonly segmentId: number;
  readonly errorMessage: string;
  readonly output: Readonly<
    Record<
      string,
      readonly {
        readonly liveId: string;
        readonly startOffsetFrame: number;
        readonly stopOffsetFrame: number;
        readonly detections: readonly {
          readonly offsetFrame: number;
          readonly x: number;
          readonly width: number;
        }[];
      }[]
    >
  >;
}

describe('A streaming job on a camera', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.started({ STREAM_RESTART_MS: '20', STREAM_STALL_ALERT_MS: '1000' });
  });
  after(() => service.close());
  let isLasting = false;
  afterEach(() => (isLasting ? undefined : clear()));
  const clear = async () => {
    const active = async () =>
      ((await service.ask('GET', '/rest/streaming/jobs')).body as { jobIds: number[] }).jobIds;
    for (const id of await active()) await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await until('no job is left', active, (ids) => ids.length === 0, { withinMs: 20_000 });
    await closeServers();
  };

  /** Faces are looked for in few frames where a test is not about what is found. */
  const submit = async (streamUri: string, more: object = {}): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: true,
      stream: { streamUri, segmentSize: SIZE },
      stallTimeout: 0,
      pipelineName: 'FACE DETECTION PIPELINE',
      jobProperties: { FRAME_INTERVAL: '10' },
      ...more,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const info = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as Info;
  const becomes = (id: number, status: string) =>
    until(
      `streaming job ${id} is ${status}`,
      () => info(id),
      ({ jobStatus }) => jobStatus === status,
      { withinMs: 60_000 },
    );
  const reportsOf = async (id: number): Promise<readonly Report[]> => {
    const folder = join(service.dataDir, 'output-objects', String(id));
    const names = await readdir(folder).catch(() => []);
    const all = await Promise.all(
      names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Report),
    );
    return all.toSorted((a, b) => a.segmentId - b.segmentId);
  };
  /** A clip that comes as it was taken, again and again, until the camera is closed. */
  const endless = () => rtsp(accessUnits(sample(CLIP)), () => ({ speed: 1, after: 'stall' }));
  const startedLast = () => service.log('component process started').at(-1)?.['worker'];
  const processesOf = (queue: string) =>
    service.log('component process started').filter(({ worker }) => String(worker).includes(queue)).length;

  it('finds the moving face where it is, segment by segment, and ends with the stream and its process', async () => {
    const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ speed: 0.5 }));
    const id = await submit(camera.url, { jobProperties: {} });
    const { jobStatusDetail, picture, segments } = await becomes(id, 'TERMINATED');
    expect(jobStatusDetail).to.match(/ended/);
    expect(picture).to.include({ width: 640, height: 360 });
    expect(segments).to.equal(5);
    const reports = await reportsOf(id);
    expect(reports.map(({ segmentId }) => segmentId)).to.deep.equal([0, 1, 2, 3, 4]);
    const tracks = reports.flatMap(({ output }) => output['FACE'] ?? []);
    const found = tracks.flatMap(({ detections }) => detections);
    const middle = (frame: number) => 20 + 4 * (frame - 10) + 115;
    for (const { offsetFrame, x, width } of found)
      expect(Math.abs(x + width / 2 - middle(offsetFrame)), `frame ${offsetFrame}`).to.be.lessThan(25);
    expect(found.length, 'frames of 80 in which the face is found').to.be.at.least(30);
    await service.logged('component process ended', ({ worker }) => String(worker).includes('Streams'));
  });

  it('is cancelled within seconds even when the camera never answers', async () => {
    const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ silentAt: 'DESCRIBE' }));
    const id = await submit(camera.url, { stallTimeout: -1 });
    await until(
      'the camera was asked',
      () => camera.requests.length,
      (count) => count > 0,
      { withinMs: 30_000 },
    );
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    expect((await becomes(id, 'CANCELLED')).jobStatusDetail).to.equal('Cancelled by user');
  });

  it('is an error that names the cause when the password is wrong, and no password is seen anywhere', async () => {
    const login = { scheme: 'Basic', user: 'viewer', password: 'right' } as const;
    const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ login }));
    const id = await submit(withLogin(camera.url, 'viewer:pa55word'));
    const { jobStatusDetail } = await becomes(id, 'ERROR');
    await service.logged('component process ended', ({ worker }) => worker === startedLast());
    expect(jobStatusDetail).to.match(/^Unable to connect to stream: .*(password|login|401)/i);
    const seen = [
      JSON.stringify(service.log()),
      JSON.stringify(await info(id)),
      (await service.ask('GET', '/metrics')).text,
    ];
    expect(seen.join('\n')).to.not.include('pa55word');
  });

  it('stalls when the camera falls silent, and is terminated when that lasts too long', async () => {
    const camera = await rtsp(accessUnits(sample(CLIP)), () => ({ speed: 4, after: 'stall' }));
    const id = await submit(camera.url, { stallTimeout: 3_000 });
    await becomes(id, 'STALLED');
    expect((await becomes(id, 'TERMINATED')).jobStatusDetail).to.include('Stream stalled for too long.');
  });

  it('is watched beside others, each by a process of its own: a dead camera is not felt by another', async () => {
    const dead = await rtsp(accessUnits(sample(CLIP)), () => ({ silentAt: 'DESCRIBE' }));
    const alive = await rtsp(accessUnits(sample(CLIP)), () => ({ speed: 0.5 }));
    const before = processesOf('Streams');
    const [stuck, good] = [await submit(dead.url, { stallTimeout: -1 }), await submit(alive.url)];
    expect((await becomes(good, 'TERMINATED')).segments).to.equal(5);
    expect((await info(stuck)).jobStatus).to.be.oneOf(['INITIALIZING', 'STALLED']);
    expect(processesOf('Streams') - before).to.be.at.least(2);
  });

  /** These tests follow one stream, one after the other; for the last of them the server has another SHUTDOWN_POLICY. */
  describe('that lasts', () => {
    let id: number;
    before(async () => {
      isLasting = true;
      id = await submit((await endless()).url, { stallTimeout: -1 });
      await until(
        'a segment was reported',
        () => info(id),
        ({ segments }) => segments >= 1,
        { withinMs: 60_000 },
      );
    });
    after(async () => {
      isLasting = false;
      await clear();
    });

    it('shows the newest picture, with what was found in it drawn, to whoever asks', async () => {
      await becomes(id, 'IN_PROGRESS');
      const response = await fetch(`${service.url}/rest/streaming/jobs/${id}/frame.jpg`, {
        headers: { authorization: `Bearer ${service.token}` },
      });
      const jpeg = Buffer.from(await response.arrayBuffer());
      expect([response.status, jpeg.subarray(0, 2).toString('hex')]).to.deep.equal([200, 'ffd8']);
    });

    it('leaves batch jobs of the same detector their processes, and they leave it its own', async () => {
      const { segments } = await becomes(id, 'IN_PROGRESS');
      const job = await service.run({
        media: [sampleUri('astronaut.png')],
        pipelineName: 'FACE DETECTION PIPELINE',
      });
      expect(job.status).to.equal('COMPLETE');
      await until(
        'the stream goes on',
        () => info(id),
        (now) => now.segments > segments && now.jobStatus === 'IN_PROGRESS',
        { withinMs: 60_000 },
      );
      const servicesOf = (kind: string) =>
        new Set(
          service
            .log('handed out a sub-job')
            .filter((line) => line['kind'] === kind)
            .map(({ worker }) => String(worker).split(':')[1]),
        );
      expect([...servicesOf('DETECT')]).to.deep.equal(['TroupeFaceDetection']);
      expect([...servicesOf('STREAM')]).to.deep.equal(['TroupeFaceDetectionStreams']);
    });

    it('goes on after kill -9 of its component, with the next segment, and tells of the gap', async () => {
      const { segments } = await info(id);
      const pid = service
        .log('component process started')
        .findLast(({ worker }) => String(worker).includes('Streams'))!.pid;
      process.kill(pid, 'SIGKILL');
      await until(
        'more segments come',
        () => info(id),
        (now) => now.segments >= segments + 3,
        { withinMs: 60_000 },
      );
      const reports = await reportsOf(id);
      const ids = reports.map(({ segmentId }) => segmentId);
      expect(ids).to.deep.equal([...new Set(ids)]);
      expect(reports.some(({ errorMessage }) => errorMessage.includes('may have been missed'))).to.equal(
        true,
      );
    });

    it('goes on after kill -9 of the server, and no segment number comes twice', async () => {
      await service.kill9();
      await service.start();
      const { segments: before } = await info(id);
      await until(
        'more segments come',
        () => info(id),
        ({ segments }) => segments >= before + 2,
        { withinMs: 60_000 },
      );
      const after = (await reportsOf(id)).slice(before);
      expect(after[0]!.errorMessage).to.include('may have been missed');
      const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
      expect(ids).to.deep.equal([...new Set(ids)]);
    });

    it('goes on when the server is stopped and started again, after the partial segment that its component still told', async () => {
      expect(await service.stop()).to.equal(0);
      await service.start({ SHUTDOWN_POLICY: 'cancel' });
      const { segments: before, jobStatus } = await info(id);
      expect(jobStatus).to.be.oneOf(['INITIALIZING', 'IN_PROGRESS']);
      await until(
        'more segments come',
        () => info(id),
        ({ segments }) => segments >= before + 2,
        { withinMs: 60_000 },
      );
      const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
      expect(ids).to.deep.equal([...new Set(ids)]);
    });

    it('ends with the server when its operator wants that', async function () {
      withoutRedis.call(this);
      await becomes(id, 'IN_PROGRESS');
      await service.stop();
      await service.startHere({ SHUTDOWN_POLICY: 'resume' });
      const { jobStatus, jobStatusDetail } = await info(id);
      expect([jobStatus, jobStatusDetail]).to.deep.equal([
        'CANCELLED_BY_SHUTDOWN',
        'Cancelled because the server was shut down.',
      ]);
      // Specification 4.3 lists it among the active ones.
      const { body } = await service.ask('GET', '/rest/streaming/jobs');
      expect((body as { jobIds: number[] }).jobIds).to.deep.equal([id]);
      expect((await service.ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(204);
    });
  });
});
