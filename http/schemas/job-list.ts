import { z } from 'zod';
import { trueOrFalse, wholeNumber } from './common.ts';
import { jobStatus, singleJobInfo, waitingFor } from './jobs.ts';

/** The list of jobs (ours): what may be asked for, and what is answered. */
export const jobListQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Jobs of a page at most'),
  before: wholeNumber(1)
    .optional()
    .describe('Only jobs with lower numbers: the next of the page before, for the page after it'),
  status: jobStatus.optional(),
  pipelineName: z
    .string()
    .trim()
    .toUpperCase()
    .min(1, { error: 'must not be blank' })
    .max(1_000)
    .optional()
    .describe('In any case of letters'),
  terminal: trueOrFalse.optional().describe('true: jobs that have ended; false: the others'),
});

export const listedJob = singleJobInfo
  .extend({
    mediaUris: z.array(z.string()).describe('The first 20; GET /rest/jobs/{id} has all'),
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

export const jobGlance = z
  .object({
    jobId: singleJobInfo.shape.jobId,
    jobStatus,
    jobProgress: singleJobInfo.shape.jobProgress,
    terminal: singleJobInfo.shape.terminal,
    stage: z
      .enum(['WAITING', 'PREPARE', 'CHECK', 'TASK', 'DOCUMENT', 'ENDED'])
      .describe('What is done now: waiting for admission, media, the archive, a task, the document'),
    task: z
      .object({ name: z.string(), number: z.int().min(1), of: z.int().min(1) })
      .nullable()
      .describe('The task that is under way'),
    waitingFor: waitingFor.nullable(),
  })
  .meta({ id: 'JobGlance', description: 'The data of an event of a job' });
