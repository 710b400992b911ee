import { z } from 'zod';
import type { Sight } from '../../domain/users/owner.ts';
import type { JobStatistics } from '../../actors/views/statistics.ts';
import { INTERFACE_VERSION, type Info } from '../../config/info.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../routing/declaration.ts';
import type { JobGuard } from '../users/job-step.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError } from '../routing/errors.ts';
import { allJobsStatistics } from '../schemas/jobs/batch-jobs.ts';
import { userOf } from '../access/bearer.ts';
import { sessionOf } from '../login/session-access.ts';
import { caller, info } from '../schemas/service.ts';

export interface Health {
  /** Returns why the server accepts no new jobs, as a public text. Returns undefined if the server accepts jobs. */
  closedFor(): Promise<string | undefined>;
}

export interface ServiceDeps {
  readonly info: Info;
  /** Identifies this start of the server. */
  readonly serverId: string;
  readonly health: Health;
  statistics(sight: Sight): Promise<JobStatistics>;
  /** The OpenAPI document. */
  openApi(): string;
}

const TAG = 'Service';

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

/** Specification 4.1. */
export const serviceEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/info',
    id: 'getInfo',
    jobs: 'NONE',
    tag: TAG,
    caller: 'USER',
    summary: 'Show the version',
    answers: {
      200: {
        ...json('The application, its version and its build.', info, {
          app: 'Troupe',
          appFamily: 'Troupe',
          buildNum: '0',
          gitBranch: 'unknown',
          gitHash: 'unknown',
          version: '0.1.0',
        }),
        headers: {
          'X-Interface-Version': 'Version of the REST interface.',
          'Troupe-Server': 'Identifies the server process that answered. It changes at each start.',
        },
      },
    },
    // These are headers, because strict clients refuse further members in InfoModel.
    handle: (_, { info, serverId }: ServiceDeps) =>
      answerWith(200, info, { 'X-Interface-Version': INTERFACE_VERSION, 'Troupe-Server': serverId }),
  }),
  endpoint({
    method: 'get',
    path: '/rest/jobs/stats',
    id: 'getJobStatistics',
    jobs: 'LIST',
    tag: 'Batch jobs',
    caller: 'USER',
    summary: 'Count jobs and their times by pipeline',
    answers: { 200: json('Over all jobs that were not deleted.', allJobsStatistics, STATISTICS) },
    handle: async ({ ctx }, { statistics, jobAccess }: ServiceDeps & JobGuard) =>
      ok(await statistics(jobAccess.sight(ctx))),
  }),
];

/** Other endpoints about the server itself (not in the specification). */
export const selfEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/session',
    id: 'getSession',
    jobs: 'NONE',
    tag: TAG,
    caller: 'USER',
    summary: 'Show the caller, its roles and its session',
    answers: {
      200: json('The user of the token or the session.', caller, {
        name: 'alice',
        subject: '5f1b3a52',
        roles: ['USER'],
        session: { expires: '2026-01-31T21:30:00.000Z', idleUntil: '2026-01-31T13:30:00.000Z' },
      }),
    },
    handle({ ctx }) {
      const { name, subject, roles } = userOf(ctx);
      const session = sessionOf(ctx);
      const at = (ms: number) => new Date(ms).toISOString();
      const until = session && { expires: at(session.expires), idleUntil: at(session.idleUntil) };
      return ok({ name, subject, roles, session: until ?? null });
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/openapi.json',
    id: 'getOpenApiDocument',
    jobs: 'NONE',
    tag: TAG,
    caller: 'USER',
    summary: 'Describe this interface',
    answers: {
      200: json(
        'This document (OpenAPI 3.1).',
        z.looseObject({
          openapi: z.string().meta({ description: 'Version of OpenAPI', examples: ['3.1.0'] }),
        }),
      ),
    },
    handle: (_, { openApi }: ServiceDeps) => ok(Buffer.from(openApi())),
  }),
  endpoint({
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    tag: TAG,
    caller: 'ANYONE',
    summary: 'Show whether the server runs',
    answers: { 200: nothing('The server runs.') },
    handle: () => withoutBody(200),
  }),
  // Anonymous: contains the state and the reasons, but no path, address or figure.
  endpoint({
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: TAG,
    caller: 'ANYONE',
    summary: 'Show whether the server accepts new jobs',
    answers: {
      200: nothing('The server accepts new jobs.'),
      503: sentence('The server is shutting down or cannot store anything. The message says which.'),
    },
    async handle(_, { health }: ServiceDeps) {
      const message = await health.closedFor();
      if (message === undefined) return withoutBody(200);
      throw new HttpError('not-ready', message);
    },
  }),
];
