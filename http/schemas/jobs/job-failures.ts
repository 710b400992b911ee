import { z } from 'zod';
import { MAX_FAILURE_GROUPS } from '../../../actors/batch-job/failures/failure-groups.ts';
import { queryTimestamp, timestamp, wholeNumber } from '../common.ts';

/** Id of a group of failures. */
export const failureId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, { error: 'must be the id of a group as GET /rest/failures lists it' });

const name = z.string().trim().toUpperCase().min(1, { error: 'must not be blank' }).max(1_000).optional();

export const failureQuery = z.strictObject({
  limit: wholeNumber(1, MAX_FAILURE_GROUPS).default(50).describe('Maximum number of groups'),
  from: queryTimestamp.optional().describe('Only groups with a failure since then'),
  component: name.describe('Only failures of this component, in any case of letters'),
  code: name.describe('Only failures with this error code, in any case of letters'),
});

export const failureGroups = z
  .array(
    z
      .object({
        id: z.string().describe('For `failure` in GET /rest/jobs; the same after a restart'),
        component: z.string().describe('Name of the algorithm, or WORKFLOW_MANAGER for the server itself'),
        code: z.string().describe('Error code'),
        pattern: z
          .string()
          .describe('What the messages have in common: numbers, ids and paths are blanked; *: any message'),
        message: z.string().describe('The message of the newest job'),
        count: z.int().min(1).describe('Failed sub-jobs'),
        jobs: z.int().min(1).describe('Jobs with these failures'),
        first: timestamp.describe('Of the earliest of these jobs'),
        last: timestamp.describe('Of the latest of these jobs'),
        examples: z.array(z.string()).describe('Ids of up to three jobs, the newest first'),
        advice: z.string().describe('What to do'),
      })
      .meta({ id: 'FailureGroup' }),
  )
  .describe('The group with the newest failure first');
