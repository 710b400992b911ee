import { z } from 'zod';
import { json, nothing, type DeclaredAnswer, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';
import { jobListQuery, jobPage, liveIssues } from '../schemas/job-list.ts';
import { allJobsStatistics, jobId } from '../schemas/jobs.ts';

const TAG = 'Batch jobs';
const params = z.object({ id: jobId });

const STATISTICS = {
  elapsedTimeMs: 2,
  aggregatePipelineStatsMap: {
    'FACE DETECTION PIPELINE': {
      count: 3,
      maxTime: 5_200,
      minTime: 2_100,
      totalTime: 7_300,
      states: { COMPLETE: 2, IN_PROGRESS: 1 },
      validCount: 2,
    },
  },
  jobTypes: 1,
  totalJobs: 3,
};

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
  waitingFor: {
    reason: 'As many jobs as the server runs at a time (MAX_LIVE_JOBS) are in progress.',
    position: 1,
  },
};

const EVENT = {
  jobId: 'host-12',
  jobStatus: 'IN_PROGRESS',
  jobProgress: 37.5,
  terminal: false,
  stage: 'TASK',
  task: { name: 'MOTION DETECTION TASK', number: 1, of: 2 },
  waitingFor: null,
};
const EVENTS: DeclaredAnswer = {
  description: 'The events of the job.',
  content: {
    schema: z.string(),
    type: 'text/event-stream',
    example: `retry: 2000\n\nid: 1\nevent: job\ndata: ${JSON.stringify(EVENT)}\n\n`,
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
        message: 'The file is empty (0 bytes): was it copied or uploaded whole?',
      },
    ],
    count: 1,
  },
  warnings: { shown: [], count: 0 },
};

/** The routes of `http/job-list.ts`, `http/statistics.ts` and `http/job-events.ts`. */
export const jobListOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/jobs/stats',
    id: 'getJobStatistics',
    tag: TAG,
    caller: 'USER',
    summary: 'Count the jobs of every pipeline and the time they took',
    answers: { 200: json('Over all jobs that were not deleted.', allJobsStatistics, STATISTICS) },
  },
  {
    method: 'get',
    path: '/rest/jobs',
    id: 'listJobs',
    tag: TAG,
    caller: 'USER',
    summary: 'List jobs, newest first',
    description: 'Page by page; the filters that are given must all fit.',
    query: jobListQuery,
    answers: {
      200: json('A page of jobs.', jobPage, { jobs: [JOB], next: '12' }),
      400: json('A part of the query is wrong.', responseMessage),
    },
  },
  {
    method: 'get',
    path: '/rest/jobs/{id}/issues',
    id: 'getLiveIssues',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell what has gone wrong so far in a job that is under way',
    description:
      'As its document will tell it. That of a job that has ended is at `/rest/jobs/{id}/output/detection`.',
    params,
    answers: {
      200: json('Errors and warnings so far.', liveIssues, LIVE_ISSUES),
      400: nothing('There is no such job.'),
      409: json('The job has ended.', responseMessage),
    },
  },
  {
    method: 'get',
    path: '/rest/jobs/{id}/events',
    id: 'watchJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Watch a job (server-sent events)',
    description:
      'The first event comes at once, the others when something has changed. Their name is `job`, their data JSON: `stage` is ' +
      'WAITING (for admission), PREPARE (media), CHECK (the archive), TASK, DOCUMENT or ENDED; `task` is null outside of TASK; ' +
      '`waitingFor` is as in SingleJobInfo, or null. The stream ends after the event that has `terminal` true, and when the ' +
      'server stops; a client then comes again unless it has seen the former.',
    params,
    answers: {
      200: EVENTS,
      400: nothing('There is no such job.'),
    },
  },
  {
    method: 'get',
    path: '/rest/streaming/jobs/{id}/events',
    id: 'watchStreamingJob',
    tag: 'Streaming jobs',
    caller: 'USER',
    summary: 'Watch a streaming job (server-sent events)',
    params,
    answers: { 200: EVENTS, 400: nothing('There is no such job.') },
  },
];
