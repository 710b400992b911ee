import { z } from 'zod';
import { RETRIES } from '../../../actors/batch-job/state/record.ts';
import { coreResponse } from '../common.ts';
import { jobId, properties } from './batch-jobs.ts';

const retryScope = z
  .enum(RETRIES)
  .describe(
    'FAILED_SUB_JOBS: the sub-jobs that failed, and what depended on them; FAILED_MEDIA: all sub-jobs of each medium with a failure',
  );

export const retryRequest = z
  .object({
    what: retryScope,
    jobProperties: properties
      .nullish()
      .describe(
        'Over those of the job, for all that runs again; then an action that failed on a medium runs again on all of it',
      ),
  })
  .meta({ id: 'JobRetryRequest' });

export const retryResponse = z
  .object({
    coreResponse,
    jobId,
    run: z.int().min(2).describe('Number of the new run'),
  })
  .meta({ id: 'JobRetryResponse' });
