import { z } from 'zod';
import type { JobService } from '../../../actors/job-service/job-service.ts';
import type { NoRetry } from '../../../actors/job-service/retry-checks.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { userOf } from '../../access/bearer.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import type { ErrorCode } from '../../routing/error-codes.ts';
import { HttpError, notThere, overloadError } from '../../routing/errors.ts';
import { successResponse } from '../../schemas/common.ts';
import { jobId } from '../../schemas/jobs/batch-jobs.ts';
import { retryRequest, retryResponse } from '../../schemas/jobs/job-retry.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { jobTrace } from '../../steps/traces.ts';
import type { UserLimits } from '../../users/user-limits.ts';

export interface JobRetryDeps {
  readonly jobService: JobService;
  readonly userLimits: UserLimits;
}

const CODES: Readonly<Record<Exclude<NoRetry['kind'], 'unknown'>, ErrorCode>> = {
  live: 'job-not-finished',
  nothing: 'nothing-to-retry',
  refused: 'invalid-job',
};

/** Retry of failed sub-jobs (not in the specification). */
export const jobRetryEndpoints = [
  endpoint({
    tag: 'Batch jobs',
    caller: 'USER',
    method: 'post',
    path: '/rest/jobs/{id}/retry',
    id: 'retryJob',
    jobs: 'BATCH_JOB',
    summary: 'Run again what failed in an ended job',
    description:
      'Starts a new run with the same id. Successful results stay. The document, callback, archive and search are updated at the end.',
    params: z.object({ id: jobId }),
    body: { schema: retryRequest, example: { what: 'FAILED_SUB_JOBS' } },
    answers: {
      200: json('The retry has begun or is queued.', retryResponse, {
        coreResponse: { responseCode: 0, message: null },
        jobId: 'host-12',
        run: 2,
      }),
      400: sentence('The body or a job property is wrong.'),
      404: sentence('There is no such job.'),
      409: sentence('The job has not ended, nothing of it failed, or its results were not kept.'),
    },
    absent: ({ params }) => noJobOf(params.id),
    async handle({ params, body, ctx }, { jobService, userLimits }: JobRetryDeps) {
      const number = jobNumber(params.id);
      if (number === null) return noJobOf(params.id);
      const { what, jobProperties } = body;
      const given = jobProperties == null || Object.keys(jobProperties).length === 0 ? {} : { jobProperties };
      const facts = { by: userOf(ctx).name, trace: jobTrace(ctx) };
      const retried = await userLimits.within(ctx, 'jobs', () =>
        jobService.retry(number, { what, ...given }, facts),
      );
      if (retried.kind === 'overloaded') throw overloadError(retried.message);
      if (retried.kind === 'unknown') return noJobOf(params.id);
      if (retried.kind !== 'retried') throw new HttpError(CODES[retried.kind], retried.message);
      return ok({ coreResponse: successResponse(), jobId: retried.jobId, run: retried.run });
    },
  }),
];

function noJobOf(id: string): never {
  throw notThere('job', id, '/rest/jobs');
}
