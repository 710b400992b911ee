/** RETENTION_DAYS: the server deletes old ended jobs with their files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  claimLive,
  LIVE_PIPELINE,
  registerLivePipeline,
  SEGMENT_SIZE,
  segmentLines,
} from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const LIGHT = { media: [sampleUri('digital-clock.jpg')], pipelineName: 'LIGHT PIPELINE' };

describe('Jobs that have ended', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ CLEANING_MS: '50', CANCEL_GRACE_MS: '200', RETENTION_DAYS: '1' });
    await registerLivePipeline(service);
  });
  after(() => service.close());

  const jobs = async () => {
    const { body } = await service.ask('GET', '/rest/jobs');
    return (body as { jobs: readonly { jobId: string }[] }).jobs.map(({ jobId }) => jobId);
  };
  const readStream = async (id: number) => (await service.ask('GET', `/rest/streaming/jobs/${id}`)).status;

  /** Creates a streaming job that has reported a segment. */
  const watchStream = async () => {
    const { body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: true,
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE },
      stallTimeout: -1,
      pipelineName: LIVE_PIPELINE,
    });
    const { jobId } = body as { jobId: number };
    const component = new RawComponent(service);
    const { token } = await claimLive(component, jobId);
    expect((await component.segment(token, 0, segmentLines(0, Date.now()))).status).to.equal(200);
    return { jobId, end: () => component.end(token, { reason: 'ended', detail: '' }) };
  };

  it('are kept until RETENTION_DAYS is over, then removed with their files; live jobs never are', async () => {
    const ended = await service.submit(LIGHT);
    const { outputObjectPath: path } = await service.terminal(ended);
    const live = await service.submit({ ...LIGHT, pipelineName: 'ABSENT PIPELINE' });
    const [endedStream, liveStream] = [await watchStream(), await watchStream()];
    await endedStream.end();
    const ofStreams = () =>
      [endedStream, liveStream].map(({ jobId }) =>
        existsSync(join(service.dataDir, 'output-objects', String(jobId))),
      );
    expect(ofStreams()).to.deep.equal([true, true]);
    // The cleanup at the start is complete when the server has stopped.
    await service.stop();
    expect(existsSync(path!), 'a day is not over').to.equal(true);

    await service.startHere({ RETENTION_DAYS: '0.000001' });
    await until('it is unknown', async () => (await service.job(ended)) === undefined);
    await until('its document is gone', () => !existsSync(path!));
    await until('the stream is unknown', async () => (await readStream(endedStream.jobId)) === 400);
    await until('its reports are gone', () => !ofStreams()[0]);
    expect([await readStream(liveStream.jobId), ofStreams()[1]]).to.deep.equal([200, true]);
    expect((await service.job(live))?.terminal).to.equal(false);
    expect(await jobs()).to.deep.equal([live]);

    await service.cancel(live);
    await until('it has ended and is removed, too', async () => (await service.job(live)) === undefined);
    const { totalJobs } = (await service.ask('GET', '/rest/jobs/stats')).body as { totalJobs: number };
    expect(totalJobs).to.equal(0);
  });
});
