import { z } from 'zod';
import { answered, nothing, type DeclaredAnswer, withoutBody } from '../declaration.ts';
import { endpoint } from '../endpoint.ts';
import type { EventStreams } from '../event-streams.ts';
import { jobIdParam } from '../schemas/batch-jobs.ts';

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
};
export const JOB_EVENTS = {
  description: 'The events of the job.',
  content: {
    schema: z.string(),
    type: 'text/event-stream',
    example: `retry: 2000\n\nid: 1\nevent: job\ndata: ${JSON.stringify(EVENT)}\n\n`,
  },
} satisfies DeclaredAnswer;

/** Server-sent events of a job (ours): how it stands at once, then every change, then the end of the stream. */
export const jobEventEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/jobs/{id}/events',
    id: 'watchJob',
    tag: 'Batch jobs',
    caller: 'USER',
    summary: 'Watch a job (server-sent events)',
    description:
      'The first event comes at once, the others when something has changed. Their name is `job`, their data JSON: `stage` is ' +
      'WAITING (for admission), PREPARE (media), CHECK (the archive), TASK, DOCUMENT or ENDED; `task` is null outside of TASK; ' +
      '`waitingFor` is as in SingleJobInfo, or null. The stream ends after the event that has `terminal` true, and when the ' +
      'server stops; a client then comes again unless it has seen the former.',
    params: z.object({ id: jobIdParam }),
    answers: {
      200: JOB_EVENTS,
      400: nothing('There is no such job.'),
    },
    refusal: () => null,
    async handle({ params: { id }, ctx }, { eventStreams }: JobEventDeps) {
      const stream = await eventStreams.open(id, lastEventOf(ctx.get('last-event-id')));
      if (stream === undefined) return withoutBody(400);
      // Whoever has hung up in the meantime is known only by this.
      if (ctx.res.destroyed) stream.destroy();
      return answered(200, stream, { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
    },
  }),
];

/** A client that comes again goes on counting. */
const lastEventOf = (given: string) => (/^\d{1,15}$/.test(given) ? Number(given) : 0);
