import { z } from 'zod';
import { RETRIES } from '../../../actors/batch-job/state/record.ts';
import { coreResponse } from '../common.ts';
import { jobId, properties } from './batch-jobs.ts';

export const retryScope = z
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
        'Override those of the job in all repeated sub-jobs; a failed action then runs again on the whole medium',
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
