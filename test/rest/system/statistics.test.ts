/** GET /rest/jobs/stats (specification 4.1, 2.2). */
import { expect } from 'chai';
import type { JobStatistics } from '../../../actors/views/statistics.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const LIGHT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

describe('GET /rest/jobs/stats', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const statistics = async (): Promise<JobStatistics> => {
    const { status, body } = await service.ask('GET', '/rest/jobs/stats');
    expect(status).to.equal(200);
    return body as JobStatistics;
  };

  it('counts jobs by pipeline and status, forgets deleted ones, and survives a restart', async () => {
    await tellsOfNone();
    await countsJobs();
    await forgetsDeleted();
  });

  const tellsOfNone = async () => {
    const { elapsedTimeMs, ...rest } = await statistics();
    expect(elapsedTimeMs).to.be.at.least(0);
    expect(rest).to.deep.equal({ aggregatePipelineStatsMap: {}, jobTypes: 0, totalJobs: 0 });
  };

  /** Counts jobs of any status. Durations are only those of COMPLETE jobs. */
  const countsJobs = async () => {
    const ids = [await service.submit(LIGHT), await service.submit(LIGHT), await service.submit(LIGHT)];
    const bad = { algorithmProperties: { TROUBLE: { TROUBLE: 'code' } } };
    const failed = await service.submit({ ...LIGHT, pipelineName: 'TROUBLE PIPELINE', ...bad });
    const times: number[] = [];
    for (const id of [...ids, failed]) {
      const { startDate, endDate } = await service.terminal(id);
      times.push(Date.parse(endDate!) - Date.parse(startDate));
    }
    const light = times.slice(0, 3);
    const { aggregatePipelineStatsMap, jobTypes, totalJobs } = await statistics();
    expect([jobTypes, totalJobs]).to.deep.equal([2, 4]);
    expect(aggregatePipelineStatsMap['LIGHT PIPELINE']).to.deep.equal({
      count: 3,
      maxTime: Math.max(...light),
      minTime: Math.min(...light),
      totalTime: light.reduce((sum, time) => sum + time, 0),
      states: { COMPLETE: 3 },
      validCount: 3,
    });
    expect(aggregatePipelineStatsMap['TROUBLE PIPELINE']).to.deep.equal({
      count: 1,
      maxTime: 0,
      minTime: 0,
      totalTime: 0,
      states: { ERROR: 1 },
      validCount: 0,
    });
  };

  const forgetsDeleted = async () => {
    const list = (await service.ask('GET', '/rest/jobs?pipelineName=TROUBLE%20PIPELINE')).body as {
      jobs: readonly { jobId: string }[];
    };
    await service.ask('DELETE', `/rest/jobs/${list.jobs[0]!.jobId}`);
    const before = await statistics();
    expect(Object.keys(before.aggregatePipelineStatsMap)).to.deep.equal(['LIGHT PIPELINE']);
    await service.stop();
    await service.startHere();
    const { elapsedTimeMs: _, ...after } = await statistics();
    const { elapsedTimeMs: __, ...expected } = before;
    expect(after).to.deep.equal(expected);
  };
});
