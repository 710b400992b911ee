import { z } from 'zod';
import { trueOrFalse, wholeNumber } from './common.ts';
import { jobStatus, singleJobInfo } from './batch-jobs.ts';

/** The list of jobs (ours): what may be asked for, and what is answered. */
export const jobListQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Jobs of a page at most'),
  before: wholeNumber(1)
    .optional()
    .describe('Only jobs with lower numbers: the next of the page before, for the page after it'),
  status: jobStatus.optional().describe('Only jobs in this status'),
  pipelineName: z
    .string()
    .trim()
    .toUpperCase()
    .min(1, { error: 'must not be blank' })
    .max(1_000)
    .optional()
    .describe('In any case of letters'),
  externalId: z
    .string()
    .min(1, { error: 'must not be empty' })
    .max(1_000)
    .optional()
    .describe('Exactly as the request had it'),
  terminal: trueOrFalse.optional().describe('true: jobs that have ended; false: the others'),
});

const listedJob = singleJobInfo
  .extend({
    mediaUris: z.array(z.string()).describe('The first 20; GET /rest/jobs/{id} has all'),
    externalId: z.string().nullable().describe("The caller's id"),
    mediaCount: z.int().min(0).describe('How many media the job has'),
  })
  .meta({ id: 'ListedJob' });

export const jobPage = z
  .object({
    jobs: z.array(listedJob).describe('Newest first, by number'),
    next: z
      .string()
      .nullable()
      .describe('What to send as before for the next page; null: this is the last one'),
  })
  .meta({
    id: 'JobPage',
    description:
      'A page of jobs. With a filter it may be short, or empty, although more follow: go on until next is null.',
  });

const liveIssueList = (what: string) =>
  z.object({
    shown: z
      .array(
        z.object({
          mediaId: z.int().min(1).nullable().describe('null: of the job as a whole'),
          mediaUri: z.string().nullable(),
          source: z.string(),
          code: z.string(),
          message: z.string(),
        }),
      )
      .describe('The first 100'),
    count: z.int().min(0).describe(`How many ${what} there are`),
  });

export const liveIssues = z
  .object({ errors: liveIssueList('errors'), warnings: liveIssueList('warnings') })
  .meta({ id: 'LiveIssues' });
