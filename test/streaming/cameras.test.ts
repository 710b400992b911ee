/**
 * Live streams from a camera to a report with the whole service: real camera protocols, the reader, detectors
 * and processes.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sample } from '../components/models/recorded-media.ts';
import { rtsp, withLogin } from '../media/live/live-watching.ts';
import { selfSigned } from '../support/servers/certificate.ts';
import { accessUnits } from '../support/media/coded-media.ts';
import { Service, withoutRedis } from '../support/processes/service.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';
import { CLIP, serviceWithCameras } from './cameras-support.ts';

describe('A streaming job on a camera', function () {
  this.timeout(240_000);
  const folder = mkdtempSync(join(tmpdir(), 'cameras-'));
  const certificate = selfSigned(folder, 'camera', 'IP:127.0.0.1');
  after(() => rmSync(folder, { recursive: true }));
  const { service, clear, submit, info, becomes, reportsOf, lastingStream, moreSegments } =
    serviceWithCameras((env) =>
      Service.here({ ...env, DRAIN_MS: '10000', NODE_EXTRA_CA_CERTS: certificate.cert }),
    );
  const startedStreams = () =>
    service()
      .log('component process started')
      .filter(({ worker }) => String(worker).includes('Streams'));

  describe('that ends', () => {
    afterEach(() => clear());

    it('finds the moving face, segment by segment, and ends with the stream and its process', async () => {
      const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 0.5 }));
      const id = await submit(camera.url, {
        pipelineName: 'FACE DETECTION PIPELINE',
        jobProperties: { FRAME_INTERVAL: '3' },
      });
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
      expect(found.length, 'frames of 27 in which the face is found').to.be.at.least(10);
      const hits = await until('the search finds the face', async () => {
        const { body } = await service().ask('GET', `/rest/search?camera=${id}&type=face`);
        const { hits: all } = body as {
          hits: readonly { startOffsetFrame: number; stopOffsetFrame: number }[];
        };
        return (
          all.at(-1)?.stopOffsetFrame === Math.max(...found.map(({ offsetFrame }) => offsetFrame)) && all
        );
      });
      const first = Math.min(...found.map(({ offsetFrame }) => offsetFrame));
      expect(hits && hits.map(({ startOffsetFrame }) => startOffsetFrame)).to.include(first);
      await service().waitForLog('component process ended', ({ worker }) =>
        String(worker).includes('Streams'),
      );
    });

    it('is an error that names the cause if the password is wrong, and shows no password anywhere', async () => {
      const login = { scheme: 'Basic', user: 'viewer', password: 'right' } as const;
      const camera = await rtsp(CLIP, () => ({ login }));
      const id = await submit(withLogin(camera.url, 'viewer:pa55word'));
      const { jobStatusDetail } = await becomes(id, 'ERROR');
      await service().waitForLog(
        'component process ended',
        ({ worker }) => worker === startedStreams().at(-1)?.['worker'],
      );
      expect(jobStatusDetail).to.match(/^Unable to connect to stream: .*(password|login|401)/i);
      const seen = [
        JSON.stringify(service().log()),
        JSON.stringify(await info(id)),
        (await service().ask('GET', '/metrics')).text,
      ];
      expect(seen.join('\n')).to.not.include('pa55word');
    });

    it('has a process of its own: a silent camera disturbs no other, and its job can be cancelled', async () => {
      const dead = await rtsp(CLIP, () => ({ silentAt: 'DESCRIBE' }));
      const login = { scheme: 'Digest', user: 'eve', password: 'secret' } as const;
      const tls = { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) };
      const alive = await rtsp(CLIP, () => ({ speed: 1, login }), tls);
      const before = startedStreams().length;
      const [stuck, good] = [
        await submit(dead.url, { stallTimeout: -1 }),
        await submit(withLogin(alive.url, 'eve:secret')),
      ];
      expect((await becomes(good, 'TERMINATED')).segments).to.equal(5);
      expect((await info(stuck)).jobStatus).to.be.oneOf(['INITIALIZING', 'STALLED']);
      expect(startedStreams().length - before).to.be.at.least(2);
      await until('the camera was asked', () => dead.requests.length > 0);
      await service().ask('POST', `/rest/streaming/jobs/${stuck}/cancel`);
      expect((await becomes(stuck, 'CANCELLED')).jobStatusDetail).to.equal('Cancelled by user');
    });
  });

  story('that lasts', 'They follow one stream over restarts of its server.', () => {
    let id: number;
    before(async () => {
      id = await lastingStream();
    });
    after(async () => {
      await clear();
      await service().stop();
      await service().startHere({ STREAM_CONNECT_MS: '' });
    });

    it('shows the newest picture, with what was found in it drawn, to whoever asks', async () => {
      await becomes(id, 'IN_PROGRESS');
      const response = await fetch(`${service().url}/rest/streaming/jobs/${id}/frame.jpg`, {
        headers: { authorization: `Bearer ${service().token}` },
      });
      const jpeg = Buffer.from(await response.arrayBuffer());
      expect([response.status, jpeg.subarray(0, 2).toString('hex')]).to.deep.equal([200, 'ffd8']);
    });

    it('resumes after a restart of the server, behind the partial segment that was reported', async () => {
      expect(await service().stop()).to.equal(0);
      // Servers that share a store do not support this policy.
      const isAlone = process.env['TEST_REDIS_URL'] === undefined;
      await service().startHere(isAlone ? { SHUTDOWN_POLICY: 'cancel' } : {});
      const { segments, jobStatus } = await info(id);
      expect(jobStatus).to.be.oneOf(['INITIALIZING', 'IN_PROGRESS']);
      await moreSegments(id, segments + 2);
      const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
      expect(ids).to.deep.equal([...new Set(ids)]);
    });

    it('ends with the server when its operator wants that', async function () {
      withoutRedis.call(this);
      await becomes(id, 'IN_PROGRESS');
      await service().stop();
      await service().startHere({ SHUTDOWN_POLICY: 'resume', STREAM_CONNECT_MS: '300' });
      const { jobStatus, jobStatusDetail } = await info(id);
      expect([jobStatus, jobStatusDetail]).to.deep.equal([
        'CANCELLED_BY_SHUTDOWN',
        'Cancelled because the server was shut down.',
      ]);
      // Specification 4.3 lists it as active.
      const { body } = await service().ask('GET', '/rest/streaming/jobs');
      expect((body as { jobIds: number[] }).jobIds).to.deep.equal([id]);
      expect((await service().ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(204);
    });

    // `npm run test:long` tests the other limits for cameras.
    it('waits for a camera that does not answer no longer than STREAM_CONNECT_MS', async function () {
      withoutRedis.call(this);
      const { url } = await rtsp(CLIP, () => ({ silentAt: 'DESCRIBE' }));
      const { jobStatusDetail } = await becomes(await submit(url, { stallTimeout: -1 }), 'ERROR');
      expect(jobStatusDetail).to.equal('Unable to connect to stream: The camera does not answer in time.');
    });
  });
});
