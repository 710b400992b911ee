/**
 * A live stream beside a batch job and a silent camera, with crashes of its component and its server. The
 * tests share one stream.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { rtsp } from '../media/live/live-watching.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { Service } from '../support/processes/service.ts';
import { CLIP, serviceWithCameras } from './cameras-support.ts';

describe('A streaming job on a camera that lasts', function () {
  this.timeout(240_000);
  const { service, submit, info, becomes, reportsOf, lastingStream, moreSegments } = serviceWithCameras(
    (env) => Service.start(env),
  );
  let id: number;
  before(async () => {
    id = await lastingStream();
  });

  const noneTwice = async () => {
    const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
    expect(ids).to.deep.equal([...new Set(ids)]);
  };

  it('leaves batch jobs of the same detector their processes, and they leave it its own', async () => {
    const { segments } = await becomes(id, 'IN_PROGRESS');
    const video = join(service().mediaDir, 'short.mp4');
    makeVideo(video, { frames: 10 });
    const job = await service().run({
      media: [pathToFileURL(video).href],
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    expect(job.status).to.equal('COMPLETE');
    await moreSegments(id, segments + 1);
    await becomes(id, 'IN_PROGRESS');
    const servicesOf = (kind: string) =>
      new Set(
        service()
          .log('handed out a sub-job')
          .filter((line) => line['kind'] === kind && String(line['worker']).includes('Motion'))
          .map(({ worker }) => String(worker).split(':')[1]),
      );
    expect([...servicesOf('DETECT')]).to.deep.equal(['TroupeMotionDetection']);
    expect([...servicesOf('STREAM')]).to.deep.equal(['TroupeMotionDetectionStreams']);
  });

  it('goes on after kill -9 of its component, with the next segment, and tells of the gap', async () => {
    const { segments } = await info(id);
    const { pid } = service()
      .log('component process started')
      .findLast(({ worker }) => String(worker).includes('Streams'))!;
    process.kill(pid, 'SIGKILL');
    await moreSegments(id, segments + 3);
    await noneTwice();
    const reports = await reportsOf(id);
    expect(reports.some(({ errorMessage }) => errorMessage.includes('may have been missed'))).to.equal(true);
  });

  it('goes on after kill -9 of the server, and no segment number comes twice', async () => {
    await service().kill9();
    await service().start();
    const { segments: before } = await info(id);
    await moreSegments(id, before + 2);
    const after = (await reportsOf(id)).slice(before);
    expect(after[0]!.errorMessage).to.include('may have been missed');
    await noneTwice();
  });

  it('stalls when the camera falls silent, and is terminated when that lasts too long', async () => {
    const camera = await rtsp(CLIP, () => ({ speed: 4, after: 'stall' }));
    const id = await submit(camera.url, { stallTimeout: 3_000 });
    await becomes(id, 'STALLED');
    expect((await becomes(id, 'TERMINATED')).jobStatusDetail).to.include('Stream stalled for too long.');
  });
});
