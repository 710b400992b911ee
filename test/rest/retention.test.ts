/** RETENTION_DAYS: jobs that ended long ago go, with their files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  claimLive,
  LIVE_PIPELINE,
  registerLivePipeline,
  SEGMENT_SIZE,
  segmentLines,
} from '../support/live-pipeline.ts';
import { RawComponent } from '../support/raw-component.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const LIGHT = { media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' };

describe('Jobs that have ended', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ CLEANING_MS: '50', CANCEL_GRACE_MS: '200' });
  });
  after(() => service.close());

  it('are kept for ever without RETENTION_DAYS, else removed when it is over; live jobs never are', async () => {
    const ended = [await service.submit(LIGHT), await service.submit(LIGHT)];
    for (const id of ended) await service.terminal(id);
    const live = await service.submit({
      ...LIGHT,
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'hang' } },
    });
    await service.stop();
    await service.startHere({ RETENTION_DAYS: '1' });
    for (const id of ended)
      expect((await service.job(id))?.jobStatus, 'a day is not over').to.equal('COMPLETE');

    await service.stop();
    await service.startHere({ RETENTION_DAYS: '0.000001' });
    for (const id of ended) await until('it is unknown', async () => (await service.job(id)) === undefined);
    await until('their documents are gone', async () => (await service.files('output-objects')).length === 0);
    expect((await service.job(live))?.terminal).to.equal(false);
    const { body } = await service.ask('GET', '/rest/jobs');
    expect((body as { jobs: readonly { jobId: string }[] }).jobs.map(({ jobId }) => jobId)).to.deep.equal([
      live,
    ]);

    await service.cancel(live);
    await until('it has ended and is removed, too', async () => (await service.job(live)) === undefined);
    const { totalJobs } = (await service.ask('GET', '/rest/jobs/stats')).body as { totalJobs: number };
    expect(totalJobs).to.equal(0);
  });

  it('on live streams go with their files as well, those that go on never', async () => {
    await service.stop();
    await service.startHere({ RETENTION_DAYS: '0' });
    await registerLivePipeline(service);
    const component = new RawComponent(service);
    const watched = async () => {
      const { body } = await service.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: true,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE },
        stallTimeout: -1,
        pipelineName: LIVE_PIPELINE,
      });
      const { jobId } = body as { jobId: number };
      const { token } = await claimLive(component, jobId);
      expect((await component.segment(token, 0, segmentLines(0, Date.now()))).status).to.equal(200);
      return { jobId, token };
    };
    const statusOf = async (id: number) => (await service.ask('GET', `/rest/streaming/jobs/${id}`)).status;
    const [ended, live] = [await watched(), await watched()];
    await component.end(ended.token, { reason: 'ended', detail: '' });
    const folders = async () =>
      [ended, live].map(({ jobId }) => existsSync(join(service.dataDir, 'output-objects', String(jobId))));
    expect(await folders()).to.deep.equal([true, true]);
    await service.stop();
    await service.startHere({ RETENTION_DAYS: '0.000001' });
    await until('it is unknown', async () => (await statusOf(ended.jobId)) === 400);
    await until('its reports are gone', async () => !(await folders())[0]);
    expect([await statusOf(live.jobId), (await folders())[1]]).to.deep.equal([200, true]);
  });
});
