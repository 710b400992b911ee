import type Router from '@koa/router';
import type { JobStatistics } from '../actors/views/statistics.ts';

export interface StatisticsDeps {
  statistics(): Promise<JobStatistics>;
}

/** Specification 4.1, the part about jobs. Goes before `/rest/jobs/:id`. */
export function statisticsRoutes(router: Router, { statistics }: StatisticsDeps): void {
  router.get('/rest/jobs/stats', async (ctx) => {
    ctx.body = await statistics();
  });
}
