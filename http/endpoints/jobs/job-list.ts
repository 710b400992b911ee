import { z } from 'zod';
import type { JobFilter, JobListQuery, JobPage, TimeSpan } from '../../../actors/views/jobs/job-list.ts';
import type { LiveIssues } from '../../../actors/views/jobs/live-issues.ts';
import { json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError } from '../../routing/errors.ts';
import type { JobGuard } from '../../users/job-step.ts';
import {
  cursorOf,
  cursorText,
  type jobFilter,
  jobListQuery,
  jobPage,
  liveIssues,
} from '../../schemas/jobs/job-list.ts';
import { jobIdParam } from '../../schemas/jobs/batch-jobs.ts';

export interface JobListDeps {
  listJobs(query: JobListQuery): Promise<JobPage>;
  liveIssues(number: number): Promise<LiveIssues | 'ended' | undefined>;
}

const COMMON = { tag: 'Batch jobs', caller: 'USER' } as const;

const JOB = {
  jobId: 'host-12',
  jobPriority: 4,
  jobProgress: 0,
  jobStatus: 'INITIALIZED',
  terminal: false,
  startDate: '2026-03-01T09:30:00.000+01:00',
  endDate: null,
  mediaUris: ['file:///media/street.mp4'],
  mediaCount: 1,
  outputObjectPath: null,
  pipelineName: 'MOTION DETECTION PIPELINE',
  archiveStatus: 'NOT REQUESTED',
  callbackStatus: 'NOT REQUESTED',
  externalId: 'case 7',
  labels: ['set:night'],
  waitingFor: {
    kind: 'ADMISSION',
    reason: 'As many jobs as the server runs at a time (MAX_LIVE_JOBS) are in progress.',
    position: 1,
  },
};

const LIVE_ISSUES = {
  errors: {
    shown: [
      {
        mediaId: 31,
        mediaUri: 'file:///media/street.mp4',
        source: 'WORKFLOW_MANAGER',
        code: 'MEDIA_INSPECTION',
        message: 'The file is empty (0 bytes). Copy or upload it again.',
      },
    ],
    count: 1,
  },
  warnings: { shown: [], count: 0 },
};

/** The list of jobs, and the problems of a running job so far (not in the specification). */
export const jobListEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/jobs',
    id: 'listJobs',
    jobs: 'LIST',
    summary: 'List jobs, newest first',
    description:
      'Returns jobs that match all filters, page by page. With endedFrom or endedTo the list is ordered by endDate, with startedFrom ' +
      'or startedTo alone by startDate, with failure by the time of the last failure, else by the number of the job.',
    query: jobListQuery,
    answers: {
      200: json('A page of jobs.', jobPage, { jobs: [JOB], next: '12' }),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query, ctx }, { listJobs, jobAccess }: JobListDeps & JobGuard) {
      const page = await listJobs({ ...toListQuery(query), sight: jobAccess.sight(ctx) });
      return ok({ jobs: page.jobs, next: page.next === null ? null : cursorText(page.next) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/jobs/{id}/issues',
    id: 'getLiveIssues',
    jobs: 'BATCH_JOB',
    summary: 'List the errors and warnings of a running job',
    description:
      'As in its later document. The document of an ended job is at `/rest/jobs/{id}/output/detection`.',
    params: z.object({ id: jobIdParam }),
    answers: {
      200: json('Errors and warnings so far.', liveIssues, LIVE_ISSUES),
      400: nothing('There is no such job.'),
      409: sentence('The job has ended.'),
    },
    refusal: () => null,
    absent: () => withoutBody(400),
    async handle({ params: { id } }, deps: JobListDeps) {
      const found = await deps.liveIssues(id);
      if (found === undefined) return withoutBody(400);
      if (found === 'ended')
        throw new HttpError(
          'job-finished',
          'The job has ended: its errors and warnings are in its document.',
        );
      return ok(found);
    },
  }),
];

/** Converts the parameters of a request to a query of the job list. */
export const toListQuery = (query: z.output<typeof jobListQuery>): Omit<JobListQuery, 'sight'> => ({
  ...toFilter(query),
  limit: query.limit,
  before: cursorOf(query.before),
});

/** Converts the parameters of a request to a filter of jobs. */
export const toFilter = (given: z.output<typeof jobFilter>): JobFilter => {
  const { status: statuses, pipelineName, externalId, label: labels, medium, failure, terminal } = given;
  return {
    ...{ statuses, pipelineName, externalId, labels, medium, failure, terminal },
    started: spanOf(given.startedFrom, given.startedTo),
    ended: spanOf(given.endedFrom, given.endedTo),
  };
};

function spanOf(from: string | undefined, to: string | undefined): TimeSpan | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [first, last] = [from, to].map((text) => (text === undefined ? undefined : Date.parse(text)));
  return { from: first, to: last };
}
