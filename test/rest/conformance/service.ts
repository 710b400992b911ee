import { expect } from 'chai';
import { info, statistics } from './resources.ts';
import type { Suite } from './suite.ts';

/** Specification 4.1, 9. */
export function serviceInformation(suite: Suite): void {
  describe('4.1 Service information and statistics', () => {
    suite.proves('GET /rest/info', 200, 'InfoModel, whose version has the form x.x.x', () =>
      suite.gets(['GET', '/rest/info'], 200, info),
    );

    suite.proves('GET /rest/jobs/stats', 200, 'AllJobsStatisticsModel over all submitted jobs', async () => {
      const { aggregatePipelineStatsMap, jobTypes, totalJobs } = await suite.gets(
        ['GET', '/rest/jobs/stats'],
        200,
        statistics,
      );
      const all = Object.values(aggregatePipelineStatsMap);
      expect(jobTypes).to.equal(all.length);
      expect(totalJobs).to.equal(all.reduce((sum, { count }) => sum + count, 0));
      expect(aggregatePipelineStatsMap).to.have.any.keys('LIGHT PIPELINE');
      for (const { count, states, validCount, minTime, maxTime, totalTime } of all) {
        expect(Object.values(states).reduce((sum, n) => sum + n, 0)).to.equal(count);
        expect(validCount).to.equal(states.COMPLETE ?? 0);
        expect(minTime * validCount <= totalTime && totalTime <= maxTime * validCount).to.equal(true);
      }
    });
  });
}
