import type { z } from 'zod';
import type { FailureGroup, FailureQuery } from '../../../actors/views/failures.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { failureGroups, failureQuery } from '../../schemas/jobs/job-failures.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { endpoint } from '../../steps/endpoint.ts';

export interface FailureDeps {
  listFailures(query: FailureQuery): Promise<readonly FailureGroup[]>;
}

const EXAMPLE: z.input<typeof failureGroups> = [
  {
    id: '3f0c9a1be2d47586',
    component: 'WORKFLOW_MANAGER',
    code: 'REMOTE_STORAGE_DOWNLOAD',
    pattern: 'https://cameras.example/… cannot be fetched: HTTP status #.',
    message: 'https://cameras.example/12/0830.mp4 cannot be fetched: HTTP status 503.',
    count: 412,
    jobs: 398,
    first: '2026-03-01T02:14:07.000Z',
    last: '2026-03-01T05:40:51.000Z',
    examples: ['host-9211', 'host-9210', 'host-9207'],
    advice: 'Check the address, and that its host answers. Private networks need FETCH_PRIVATE.',
  },
];

/** Failures by cause (not in the specification). */
export const failureEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/failures',
    id: 'listFailures',
    tag: 'Batch jobs',
    caller: 'USER',
    jobs: 'LIST',
    summary: 'Group the failures of all jobs by their cause',
    description:
      'A group has the same component, code and kind of message. It counts the failures in the last run of each stored job. ' +
      '`GET /rest/jobs?failure={id}` lists the jobs of a group. A job counts in at most 8 groups.',
    query: failureQuery,
    answers: {
      200: json('The groups; the one with the newest failure first.', failureGroups, EXAMPLE),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle(
      { query: { from, limit, component, code }, ctx },
      { listFailures, jobAccess }: FailureDeps & JobGuard,
    ) {
      const since = from === undefined ? undefined : Date.parse(from);
      const groups = await listFailures({ limit, from: since, component, code, sight: jobAccess.sight(ctx) });
      return ok(
        groups.map(({ first, last, ...group }) => ({ ...group, first: iso(first), last: iso(last) })),
      );
    },
  }),
];

const iso = (ms: number) => new Date(ms).toISOString();
