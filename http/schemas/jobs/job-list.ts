import { z } from 'zod';
import { MAX_LABELS } from '../../../domain/labels.ts';
import { failureId } from './job-failures.ts';
import { queryTimestamp, trueOrFalse, wholeNumber } from '../common.ts';
import { jobStatus, label, singleJobInfo } from './batch-jobs.ts';

/** Position where a page ended: a number, or a time and a number if the list is ordered by a time. */
const CURSOR = /^(?:(-?\d{1,16})-)?(\d{1,16})$/;

const statuses = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(z.array(jobStatus).max(100));

/** Filters of jobs. They select the jobs that match all of them. */
export const jobFilters = {
  status: statuses.optional().describe('Only jobs with one of these statuses'),
  pipelineName: z
    .string()
    .trim()
    .toUpperCase()
    .min(1, { error: 'must not be blank' })
    .max(1_000)
    .optional()
    .describe('Only jobs of this pipeline'),
  externalId: z
    .string()
    .min(1, { error: 'must not be empty' })
    .max(1_000)
    .optional()
    .describe('Only jobs with this external id'),
  label: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(',')))
    .pipe(z.array(label).max(MAX_LABELS))
    .optional()
    .describe('Only jobs with all of these labels'),
  medium: z
    .string()
    .min(1, { error: 'must not be empty' })
    .max(1_000)
    .optional()
    .describe('Only jobs with this in the URI of a medium'),
  failure: failureId.optional().describe('Only jobs of this group of GET /rest/failures'),
  startedFrom: queryTimestamp.optional().describe('Only jobs that started then or later'),
  startedTo: queryTimestamp.optional().describe('Only jobs that started before it'),
  endedFrom: queryTimestamp.optional().describe('Only jobs that ended then or later'),
  endedTo: queryTimestamp.optional().describe('Only jobs that ended before it'),
  terminal: trueOrFalse.optional().describe('true: jobs that have ended; false: the others'),
};

/** The same filters in a body. An unknown member is an error, because a misspelled filter would select all jobs. */
export const jobFilter = z
  .strictObject({
    ...jobFilters,
    terminal: z
      .union([z.boolean(), trueOrFalse])
      .optional()
      .describe('true: jobs that have ended; false: the others'),
  })
  .meta({ id: 'JobFilter' });

/** Query and answer of the list of jobs (not in the specification). */
export const jobListQuery = z
  .strictObject({
    limit: wholeNumber(1, 500).default(50).describe('Maximum number of jobs on a page'),
    before: z
      .string()
      .regex(CURSOR, { error: 'must be the value of next from the previous page, or the number of a job' })
      .optional()
      .describe('Value of next from the previous page'),
    ...jobFilters,
  })
  .refine((query) => !isTimed(query) || query.before === undefined || query.before.includes('-'), {
    path: ['before'],
    error: 'must be the value of next from a page with the same filters by time or failure',
  });

type Times = 'startedFrom' | 'startedTo' | 'endedFrom' | 'endedTo' | 'failure';
const isTimed = (query: { readonly [N in Times]?: string | undefined }) =>
  [query.startedFrom, query.startedTo, query.endedFrom, query.endedTo, query.failure].some(
    (time) => time !== undefined,
  );

/** Returns content and encoding of a cursor. */
export function cursorOf(
  before: string | undefined,
): { readonly score: number | undefined; readonly number: number } | undefined {
  const [, score, number] = CURSOR.exec(before ?? '') ?? [];
  if (number === undefined) return undefined;
  return { score: score === undefined ? undefined : Number(score), number: Number(number) };
}
export const cursorText = (cursor: { readonly score: number | undefined; readonly number: number }) =>
  cursor.score === undefined ? String(cursor.number) : `${cursor.score}-${cursor.number}`;

const listedJob = singleJobInfo
  .extend({
    mediaUris: z
      .array(z.string())
      .describe(
        'The first 20; data: URIs of more than 8,192 characters only with their type. GET /rest/jobs/{id} has all in full',
      ),
    externalId: z.string().nullable().describe("The caller's id"),
    labels: z.array(z.string()).describe('Labels of the job'),
    mediaCount: z.int().min(0).describe('How many media the job has'),
  })
  .meta({ id: 'ListedJob' });

export const jobPage = z
  .object({
    jobs: z
      .array(listedJob)
      .describe('Newest first: by the time of a filter by time or failure, else by number'),
    next: z.string().nullable().describe('Value of before for the next page; null: this is the last page'),
  })
  .meta({
    id: 'JobPage',
    description:
      'A page of jobs. With a filter it may be short, or empty, although more follow: continue until next is null.',
  });

const liveIssueList = (what: string) =>
  z.object({
    shown: z
      .array(
        z.object({
          mediaId: z.int().min(1).nullable().describe('null: of the job as a whole'),
          mediaUri: z.string().nullable().describe('As in the list of jobs'),
          source: z.string().describe('What reports it: an action, an algorithm or the server'),
          code: z.string().describe('Stable name of the cause; docs/reference/error-codes.md lists all'),
          message: z.string().describe('Description of the problem'),
        }),
      )
      .describe('The first 100'),
    count: z.int().min(0).describe(`How many ${what} there are`),
  });

export const liveIssues = z
  .object({
    errors: liveIssueList('errors').describe('What has failed so far'),
    warnings: liveIssueList('warnings').describe('What went wrong without a failure'),
  })
  .meta({ id: 'LiveIssues' });
