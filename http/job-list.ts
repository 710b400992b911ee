import type Router from '@koa/router';
import type { Context } from 'koa';
import type { JobListQuery, JobPage } from '../actors/views/job-list.ts';
import { jobNumber } from '../actors/views/jobs.ts';
import type { LiveIssues } from '../actors/views/live-issues.ts';
import { empty, HttpError } from './errors.ts';
import { jobListQuery } from './schemas/job-list.ts';
import { checked } from './schemas/problems.ts';

export interface JobListDeps {
  listJobs(query: JobListQuery): Promise<JobPage>;
  liveIssues(number: number): Promise<LiveIssues | 'ended' | undefined>;
}

/** All jobs, and what has gone wrong so far in one that is under way (ours). */
export function jobListRoutes(router: Router, deps: JobListDeps): void {
  router.get('/rest/jobs', (ctx) => list(ctx, deps));
  router.get('/rest/jobs/:id/issues', (ctx) => issues(ctx, deps));
}

async function list(ctx: Context, { listJobs }: JobListDeps): Promise<void> {
  const query = checked(jobListQuery, ctx.query, 'query');
  if ('problems' in query)
    throw new HttpError(400, `The query has errors in the following fields:\n${query.problems}`);
  const { limit, before, status, pipelineName, externalId, terminal } = query.ok;
  const { jobs, next } = await listJobs({ limit, before, status, pipelineName, externalId, terminal });
  ctx.body = { jobs, next: next === null ? null : String(next) };
}

async function issues(ctx: Context, deps: JobListDeps): Promise<void> {
  const id = jobNumber((ctx['params'] as { id: string }).id);
  const found = id === null ? undefined : await deps.liveIssues(id);
  if (found === undefined) return empty(ctx, 400);
  if (found === 'ended')
    throw new HttpError(409, 'The job has ended: its errors and warnings stand in its document.');
  ctx.body = found;
}
