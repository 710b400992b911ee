import type Router from '@koa/router';
import type { Context } from 'koa';
import type { JobListQuery, JobPage } from '../actors/views/job-list.ts';
import { HttpError } from './errors.ts';
import { jobListQuery } from './schemas/job-list.ts';
import { checked } from './schemas/problems.ts';

export interface JobListParts {
  listJobs(query: JobListQuery): Promise<JobPage>;
}

/** All jobs (ours). */
export function jobListRoutes(router: Router, parts: JobListParts): void {
  router.get('/rest/jobs', (ctx) => list(ctx, parts));
}

async function list(ctx: Context, { listJobs }: JobListParts): Promise<void> {
  const query = checked(jobListQuery, ctx.query);
  if ('problems' in query)
    throw new HttpError(400, `The query has errors in the following fields:\n${query.problems}`);
  const { limit, before, status, pipelineName, externalId, terminal } = query.ok;
  const { jobs, next } = await listJobs({ limit, before, status, pipelineName, externalId, terminal });
  ctx.body = { jobs, next: next === null ? null : String(next) };
}
