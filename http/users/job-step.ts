import type { Context } from 'koa';
import { jobNumber } from '../../domain/job/job-id.ts';
import { noteMissingRole } from '../access/bearer.ts';
import type { JobAccess } from './job-access.ts';
import type { Operation, Refusing } from '../routing/declaration.ts';
import { HttpError } from '../routing/errors.ts';

export interface JobGuard {
  readonly jobAccess: JobAccess;
}

interface Asked {
  readonly params: unknown;
  readonly query: unknown;
  readonly ctx: Context;
}

/**
 * True if the caller may run this operation on the job of the path. If false, the answer must be that for an unknown job.
 * @throws HttpError 403 for a job of another user
 */
export async function mayReach(
  { jobs, method, isReading, refusal }: Operation & Refusing,
  { params, query, ctx }: Asked,
  { jobAccess }: Partial<JobGuard>,
): Promise<boolean> {
  if (jobs !== 'BATCH_JOB' && jobs !== 'STREAMING_JOB') return true;
  if (jobAccess === undefined) throw new Error('An endpoint is about one job, and nothing says who sees it.');
  const { id } = params as { readonly id: string | number };
  const number = jobs === 'BATCH_JOB' ? jobNumber(String(id)) : streamNumber(id);
  if (number === null) return true;
  const act = method === 'get' || isReading === true ? 'SEE' : 'CHANGE';
  const verdict = await jobAccess.judge(ctx, jobs, number, act);
  if (verdict !== 'FOREIGN') return verdict === 'GRANTED';
  const message = `Job ${id} belongs to another user. Only its owner and an ADMIN can change it.`;
  noteMissingRole(ctx, message);
  throw new HttpError('job-of-another-user', message, { body: refusal?.(message, { params, query }) ?? {} });
}

/** Returns null if no streaming job can have this id. */
const streamNumber = (id: string | number): number | null =>
  /^\d{1,15}$/.test(String(id)) ? Number(id) : null;
