import { z } from 'zod';
import type { Operations } from '../../../actors/guardian/register-operations.ts';
import { MAX_LIVE_OPERATIONS } from '../../../actors/operations/service.ts';
import { MAX_OPERATION_JOBS, type Action } from '../../../actors/operations/state.ts';
import { operationId, operationNumber, type OperationInfo } from '../../../actors/operations/views.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { ownerOf, type Sight } from '../../../domain/users/owner.ts';
import { userOf, type User } from '../../access/bearer.ts';
import type { EventStreams } from '../../events/event-streams.ts';
import { answerWith, content, json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError, notThere, overloadError } from '../../routing/errors.ts';
import {
  operation,
  operationIdParam,
  operationList,
  operationListQuery,
  operationRequest,
} from '../../schemas/jobs/operations.ts';
import { eventsFor } from '../../steps/client.ts';
import type { JobGuard } from '../../users/job-step.ts';
import type { UserLimits } from '../../users/user-limits.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { lastEventOf } from './job-events.ts';
import { toFilter } from './job-list.ts';

export interface OperationEndpointDeps {
  readonly operations: Operations;
  readonly eventStreams: EventStreams;
  /** URL at which clients reach the server. */
  readonly url: string;
  readonly userLimits: UserLimits;
}

const COMMON = { tag: 'Operations', caller: 'USER', jobs: 'LIST' } as const;
const params = z.object({ id: operationIdParam });
const UNKNOWN = sentence('There is no such operation.');
const EXAMPLE = {
  operationId: 'op-3',
  action: 'resubmit',
  status: 'RUNNING',
  terminal: false,
  dryRun: false,
  startedBy: 'ann',
  startDate: '2026-03-01T09:30:00.000+01:00',
  endDate: null,
  matched: 1240,
  done: 310,
  refused: 2,
  progress: 25,
  refusals: [
    { reason: 'NOT_ENDED', message: 'The job has not ended.', count: 2, examples: ['host-7', 'host-9'] },
  ],
  message: null,
  filter: { status: ['ERROR'] },
};

/** One action on many jobs (not in the specification). */
export const operationEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/operations',
    id: 'startOperation',
    summary: 'Apply an action to many jobs',
    description:
      'The operation handles each job that matches the filter at its start once. It continues after a restart of the server. If no job matches, it completes with `matched` 0.',
    body: {
      schema: operationRequest,
      limits: 'operationLimits',
      example: { action: 'resubmit', filter: { status: 'ERROR', endedFrom: '2026-03-01T00:00:00Z' } },
    },
    answers: {
      202: {
        ...json('The operation is stored and will be carried out.', operation, EXAMPLE),
        headers: { Location: 'Address of the operation' },
      },
    },
    firstLook: tooManyIds,
    says: { body: (problems) => `The operation has errors in the following fields:\n${problems}` },
    async handle(
      { body, ctx },
      { operations, url, jobAccess, userLimits }: OperationEndpointDeps & JobGuard,
    ) {
      const tooHigh = body.action === 'priority' ? userLimits.refusedPriority(ctx, body.priority) : undefined;
      if (tooHigh !== undefined) throw new HttpError('priority-too-high', tooHigh);
      const number = await operations.service.start(requestOf(body, userOf(ctx), jobAccess.sight(ctx)));
      if (number === 'full')
        throw overloadError(
          `${MAX_LIVE_OPERATIONS} operations are in progress, which is the limit. Try again when one has ended.`,
        );
      const started = await operationOf(operationId(number), operations, 'ALL');
      return answerWith(202, started, { Location: `${url}/rest/operations/${started.operationId}` });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/operations',
    id: 'listOperations',
    summary: 'List operations, newest first',
    query: operationListQuery,
    answers: {
      200: json('A page of operations.', operationList, { operations: [EXAMPLE], next: null }),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle(
      { query: { limit, before }, ctx },
      { operations: { views }, jobAccess }: OperationEndpointDeps & JobGuard,
    ) {
      const after = before === undefined ? undefined : operationNumber(before);
      const page = await views.list(limit, after, jobAccess.sight(ctx));
      return ok({
        operations: page.operations.map(toAnswer),
        next: page.next === null ? null : operationId(page.next),
      });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/operations/{id}',
    id: 'getOperation',
    summary: 'Show an operation',
    params,
    answers: { 200: json('The operation.', operation, EXAMPLE), 404: UNKNOWN },
    async handle({ params: { id }, ctx }, { operations, jobAccess }: OperationEndpointDeps & JobGuard) {
      return ok(await operationOf(id, operations, jobAccess.sight(ctx)));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/operations/{id}/events',
    id: 'watchOperation',
    summary: 'Watch an operation (server-sent events)',
    description:
      'The first event comes at once, the others after a change. Each has the name `operation` and the operation as JSON. The stream ends after the event that has `terminal` true, and when the server stops.',
    params,
    answers: {
      200: content(
        'The events of the operation.',
        'text/event-stream',
        `retry: 2000\n\nid: 1\nevent: operation\ndata: ${JSON.stringify(EXAMPLE)}\n\n`,
      ),
      404: UNKNOWN,
    },
    async handle(
      { params: { id }, ctx },
      { operations, eventStreams, jobAccess }: OperationEndpointDeps & JobGuard,
    ) {
      await operationOf(id, operations, jobAccess.sight(ctx));
      const number = operationNumber(id);
      const lastEvent = lastEventOf(ctx.get('last-event-id'));
      const stream = number === undefined ? undefined : await eventStreams.openOperation(number, lastEvent);
      if (stream === undefined) throw unknown(id);
      return eventsFor(ctx, stream);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/operations/{id}/cancel',
    id: 'cancelOperation',
    summary: 'Cancel an operation',
    description: 'Handled jobs stay changed. The others are not changed.',
    params,
    answers: {
      200: json('The operation will end.', operation),
      404: UNKNOWN,
      409: sentence('The operation has ended, or is being cancelled already.'),
    },
    async handle({ params: { id }, ctx }, { operations, jobAccess }: OperationEndpointDeps & JobGuard) {
      const sight = jobAccess.sight(ctx);
      const { operationId: known, status } = await operationOf(id, operations, sight);
      const reply = await operations.service.cancel(operationNumber(known)!);
      if (reply.kind === 'refused')
        throw new HttpError(
          'operation-finished',
          `Operation ${known} cannot be cancelled: its status is ${reply.status ?? status}.`,
        );
      return ok(await operationOf(known, operations, sight));
    },
  }),
];

const unknown = (id: string) => notThere('operation', id, '/rest/operations');

async function operationOf(id: string, { views }: Operations, sight: Sight) {
  const number = operationNumber(id);
  const found = number === undefined ? undefined : await views.single(number, sight);
  if (found === undefined) throw unknown(id);
  return toAnswer(found);
}

/** Copies the lists, because the type of the schema has mutable lists. */
const toAnswer = ({ refusals, filter, add, remove, ...rest }: OperationInfo) => ({
  ...rest,
  refusals: [...refusals],
  filter: filter as z.output<typeof operation>['filter'],
  ...(add === undefined ? {} : { add: [...add] }),
  ...(remove === undefined ? {} : { remove: [...remove] }),
});

/** Returns a message if there are too many ids. Runs before validation, because listing the problems of a million ids takes long. */
function tooManyIds(body: unknown): string | undefined {
  const ids: unknown = typeof body === 'object' && body !== null && 'ids' in body ? body.ids : [];
  return Array.isArray(ids) && ids.length > MAX_OPERATION_JOBS
    ? `The operation has ${ids.length} ids. At most ${MAX_OPERATION_JOBS} are allowed: use a filter or several operations.`
    : undefined;
}

function requestOf(body: z.output<typeof operationRequest>, user: User, sight: Sight) {
  const owner = ownerOf(user);
  return {
    action: actionOf(body),
    dryRun: body.dryRun ?? false,
    startedBy: {
      name: user.name,
      ...(owner === undefined ? {} : { owner }),
      isAdmin: user.roles.includes('ADMIN'),
      sight,
    },
    ...(body.filter === undefined ? {} : { filter: toFilter(body.filter) }),
    ...(body.ids === undefined ? {} : { jobs: numbersOf(body.ids) }),
  };
}

function actionOf(request: z.output<typeof operationRequest>): Action {
  const { action, priority, what = 'FAILED_SUB_JOBS', jobProperties = {}, add = [], remove = [] } = request;
  switch (action) {
    case 'resubmit':
      return { type: action, ...(priority === undefined ? {} : { priority }) };
    case 'retry':
      return { type: action, what, ...(Object.keys(jobProperties).length === 0 ? {} : { jobProperties }) };
    case 'priority':
      return { type: action, priority: priority! };
    case 'label':
      return { type: action, add, remove };
    case 'cancel':
    case 'delete':
    case 'archiverepost':
      return { type: action };
  }
}

/** Converts ids of jobs to numbers. @throws HttpError for the first text that is no id of a job */
function numbersOf(ids: readonly (string | number)[]): readonly number[] {
  return ids.map((id, n) => {
    const number = jobNumber(String(id));
    if (number === null)
      throw new HttpError(
        'invalid-body',
        `ids[${n}] is ${JSON.stringify(String(id).slice(0, 100))}; it must be the id of a job, such as host-12.`,
      );
    return number;
  });
}
