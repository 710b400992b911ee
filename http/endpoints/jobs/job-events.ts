import { z } from 'zod';
import { content, nothing, sentence, withoutBody } from '../../routing/declaration.ts';
import { eventsFor } from '../../steps/client.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { EventStreams } from '../../events/event-streams.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { jobIdParam } from '../../schemas/jobs/batch-jobs.ts';
import { jobListQuery } from '../../schemas/jobs/job-list.ts';
import { toListQuery } from './job-list.ts';

export interface JobEventDeps {
  readonly eventStreams: EventStreams;
}

const EVENT = {
  jobId: 'host-12',
  jobStatus: 'IN_PROGRESS',
  jobProgress: 37.5,
  terminal: false,
  stage: 'TASK',
  task: { name: 'MOTION DETECTION TASK', number: 1, of: 2 },
  waitingFor: null,
  remaining: { seconds: 45, atLeast: false },
};
const JOB_EVENTS = content(
  'The events of the job.',
  'text/event-stream',
  `retry: 2000\n\nid: 1\nevent: job\ndata: ${JSON.stringify(EVENT)}\n\n`,
);

const LIST_EVENTS = content(
  'The events of the list.',
  'text/event-stream',
  'retry: 2000\n\nid: 1\nevent: jobs\ndata: {"jobs":[],"order":[],"next":null}\n\n',
);

/** Server-sent events of a job or of a list of jobs (not in the specification): first the current state, then every change. */
export const jobEventEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/jobs/events',
    id: 'watchJobs',
    jobs: 'LIST',
    tag: 'Batch jobs',
    caller: 'USER',
    summary: 'Watch a page of the list of jobs (server-sent events)',
    description:
      'Accepts the query of GET /rest/jobs. The first event has the page, each later one the changes, with the name `jobs` and JSON data. `jobs` has new and changed jobs, as in the list. `order` has the ids of all jobs of the page in their order; other jobs have left the page. `next` is as in the list. The stream ends when the server stops; a client then reconnects.',
    query: jobListQuery,
    answers: {
      200: LIST_EVENTS,
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query, ctx }, { eventStreams, jobAccess }: JobEventDeps & JobGuard) {
      const wanted = { ...toListQuery(query), sight: jobAccess.sight(ctx) };
      const stream = await eventStreams.openList(wanted, lastEventOf(ctx.get('last-event-id')));
      return eventsFor(ctx, stream);
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/jobs/{id}/events',
    id: 'watchJob',
    jobs: 'BATCH_JOB',
    tag: 'Batch jobs',
    caller: 'USER',
    summary: 'Watch a job (server-sent events)',
    description:
      'An event comes at once and after each change. Its name is `job`, its data JSON: `stage` is ' +
      'WAITING (for admission), PREPARE (media), CHECK (the archive), TASK, DOCUMENT or ENDED; `task` is null outside of TASK; ' +
      '`waitingFor` and `remaining` are as in SingleJobInfo, or null. The stream ends after the event that has `terminal` true, and when the ' +
      'server stops; a client then reconnects unless `terminal` was true.',
    params: z.object({ id: jobIdParam }),
    answers: {
      200: JOB_EVENTS,
      400: nothing('There is no such job.'),
    },
    refusal: () => null,
    absent: () => withoutBody(400),
    async handle({ params: { id }, ctx }, { eventStreams }: JobEventDeps) {
      const stream = await eventStreams.open(id, lastEventOf(ctx.get('last-event-id')));
      if (stream === undefined) return withoutBody(400);
      return eventsFor(ctx, stream);
    },
  }),
];

/** Returns the number of the last event that a client has received. A client that reconnects continues the numbering. */
export const lastEventOf = (given: string) => (/^\d{1,15}$/.test(given) ? Number(given) : 0);
