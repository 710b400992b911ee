import { z } from 'zod';
import { json, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';
import {
  claimAnswer,
  claimRequest,
  failureRequest,
  heartbeatAnswer,
  heartbeatRequest,
  resultAnswer,
  resultQuery,
} from '../schemas/worker.ts';

const TAG = 'Worker protocol';
const params = z.object({ token: z.string().describe('The token of the lease, from the claim') });
const NDJSON = 'application/x-ndjson';

const taken = json('Taken; a repetition gets the same answer.', z.object({}), {});
const lost = json(
  'The lease is lost: it ran out, was given to another component, or its job has ended.',
  responseMessage,
);
const wrong = json('A field is wrong, or the body broke off.', responseMessage);

/** The routes of `http/worker-protocol.ts`; docs/component-protocol.md tells the same as a story. */
export const workerProtocolOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/worker/v1/claim',
    id: 'claimWork',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Claim sub-jobs',
    description: 'Waits up to waitMs for work. Each sub-job comes with a lease of its own.',
    body: { schema: claimRequest, example: { algorithms: ['MOTION'], max: 1, waitMs: 25_000 } },
    answers: { 200: json('What was claimed; may be empty.', claimAnswer), 400: wrong },
  },
  {
    method: 'post',
    path: '/worker/v1/leases/{token}/heartbeat',
    id: 'beat',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Keep a lease, and tell how far the work is',
    params,
    body: { schema: heartbeatRequest, example: { done: 20, total: 50 } },
    answers: { 200: json('Whether to go on.', heartbeatAnswer, { go: 'on' }), 400: wrong, 409: lost },
  },
  {
    method: 'post',
    path: '/worker/v1/leases/{token}/result',
    id: 'postResult',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Answer a sub-job with tracks',
    description:
      'The body is NDJSON of any length, a track a line; an empty one means that nothing was found.',
    params,
    query: resultQuery,
    body: { schema: z.string(), type: NDJSON },
    answers: {
      200: json('Taken; a repetition gets the same answer. With `claim`, what is next.', resultAnswer, {}),
      400: wrong,
      403: json('The token may not claim work of these algorithms.', responseMessage),
      409: lost,
      422: json('The result is not what was asked for; an attempt is counted.', responseMessage),
    },
  },
  {
    method: 'post',
    path: '/worker/v1/leases/{token}/failure',
    id: 'postFailure',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Answer a sub-job with an error',
    description: 'Final: it is not tried again.',
    params,
    body: { schema: failureRequest, example: { code: 'COULD_NOT_READ_MEDIA', message: 'No key frame.' } },
    answers: { 200: taken, 400: wrong, 409: lost },
  },
  {
    method: 'post',
    path: '/worker/v1/leases/{token}/release',
    id: 'releaseWork',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Give a sub-job back unharmed',
    params,
    answers: { 200: taken, 409: lost },
  },
  {
    method: 'get',
    path: '/worker/v1/leases/{token}/input',
    id: 'getDocumentInput',
    tag: TAG,
    caller: 'COMPONENT',
    summary: 'Read what the document of a job is written from',
    description: 'For the built-in media component; may change without notice.',
    params,
    answers: {
      200: { description: 'A line of JSON each.', content: { schema: z.string(), type: NDJSON } },
      409: lost,
    },
  },
];
