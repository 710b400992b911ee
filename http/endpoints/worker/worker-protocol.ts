import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { z } from 'zod';
import { CPU_HEADER } from '../../../protocol/worker-messages.ts';
import type { Assignment } from '../../../protocol/worker-protocol.ts';
import { serviceOfWorker } from '../../../actors/node-gateway/rules.ts';
import type { WorkerRegistry } from '../../../actors/node-manager/workers.ts';
import type { Claim, WorkerGateway } from '../../../actors/worker-gateway/gateway.ts';
import { LOST_TEXT, refusalText } from '../../../protocol/answer-outcome.ts';
import { claimantOf } from '../../access/claimant.ts';
import { content, json, ok, sentence } from '../../routing/declaration.ts';
import { leftBy, whenClosed } from '../../steps/client.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError } from '../../routing/errors.ts';
import { requireAccepted, leaseLost } from './answer-refusals.ts';
import {
  answersAnswer,
  answersRequest,
  claimAnswer,
  claimRequest,
  failureRequest,
  heartbeatAnswer,
  heartbeatRequest,
  resultAnswer,
  resultQuery,
} from '../../schemas/worker/worker-protocol.ts';

export interface WorkerProtocolDeps {
  readonly workerGateway: WorkerGateway;
  readonly workers: WorkerRegistry;
}

export const WORKER_PROTOCOL = { tag: 'Worker protocol', caller: 'COMPONENT' } as const;
export const leaseParams = z.object({ token: z.string().describe('The token of the lease, from the claim') });
export const NDJSON = 'application/x-ndjson';

const acceptedAnswer = json('Accepted. A repeated message gets the same answer.', z.object({}), {});
export const lost = sentence(LOST_TEXT);
const lostOrOther = sentence(`${LOST_TEXT} Or it was answered before with another answer.`);
export const wrong = sentence('A field is wrong, the body is incomplete, or the lease is of a live stream.');

/**
 * /worker/v1: how components claim sub-jobs and answer them. All work and all results pass through it; docs/reference/component-protocol.md
 * describes it.
 */
export const workerProtocolEndpoints = [
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/claim',
    id: 'claimWork',
    summary: 'Claim sub-jobs',
    description: 'Waits up to waitMs for work. Each sub-job comes with a lease of its own.',
    body: { schema: claimRequest, example: { algorithms: ['MOTION'], max: 1, waitMs: 25_000 } },
    answers: { 200: json('The claimed work, which can be empty.', claimAnswer), 400: wrong },
    async handle({ body: { algorithms, ...wanted }, ctx }, deps: WorkerProtocolDeps) {
      const queues = queuesOf(ctx, algorithms);
      return ok({ work: await handOut(ctx, deps, { queues, ...wanted }) });
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/heartbeat',
    id: 'beat',
    summary: 'Keep a lease and report progress',
    params: leaseParams,
    body: { schema: heartbeatRequest, example: { done: 20, total: 50 } },
    answers: { 200: json('Whether to continue.', heartbeatAnswer, { go: 'on' }), 400: wrong, 409: lost },
    async handle({ params: { token }, body, ctx }, { workerGateway }: WorkerProtocolDeps) {
      const go = await workerGateway.heartbeat(token, claimantOf(ctx).worker, body.done, body.total);
      if (go === 'lost') throw leaseLost();
      return ok({ go });
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/result',
    id: 'postResult',
    summary: 'Answer a sub-job with tracks',
    description:
      'The body is NDJSON with one track per line. An empty body means that nothing was found. ' +
      `The header or trailer ${CPU_HEADER} has the milliseconds of CPU time that were used for it.`,
    params: leaseParams,
    query: resultQuery,
    body: { schema: z.string(), type: NDJSON },
    answers: {
      200: json(
        'Accepted. A repeated message gets the same answer. With `claim`, the next sub-job.',
        resultAnswer,
        {},
      ),
      400: wrong,
      403: sentence('The token may not claim work of these algorithms.'),
      409: lostOrOther,
      422: sentence('The result does not match the request. This counts as an attempt.'),
    },
    async handle({ params: { token }, query: { claim }, body, ctx }, deps: WorkerProtocolDeps) {
      const queues = claim === undefined ? [] : nextQueuesOf(ctx, claim);
      const { intake } = deps.workerGateway;
      requireAccepted(ctx, await intake.result(token, claimantOf(ctx).worker, body, () => cpuMsOf(ctx)));
      return ok(queues.length === 0 ? {} : { work: await handOut(ctx, deps, { queues, max: 1, waitMs: 0 }) });
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/failure',
    id: 'postFailure',
    summary: 'Answer a sub-job with an error',
    description: 'Final: Troupe does not retry the sub-job.',
    params: leaseParams,
    body: { schema: failureRequest, example: { code: 'COULD_NOT_READ_MEDIA', message: 'No key frame.' } },
    answers: { 200: acceptedAnswer, 400: wrong, 409: lostOrOther },
    async handle({ params: { token }, body, ctx }, { workerGateway }: WorkerProtocolDeps) {
      requireAccepted(ctx, await workerGateway.intake.failure(token, claimantOf(ctx).worker, body));
      return ok({});
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/release',
    id: 'releaseWork',
    summary: 'Release a sub-job without counting an attempt',
    params: leaseParams,
    answers: { 200: acceptedAnswer, 409: lost },
    async handle({ params: { token }, ctx }, { workerGateway }: WorkerProtocolDeps) {
      requireAccepted(ctx, await workerGateway.intake.release(token, claimantOf(ctx).worker));
      return ok({});
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/answers',
    id: 'postAnswers',
    summary: 'Answer several sub-jobs, and claim more',
    description:
      'For small answers to sub-jobs that were claimed with `inTurn`. An answer without lines and failure releases the sub-job, and no attempt counts.',
    body: {
      schema: answersRequest,
      example: {
        answers: [{ token: 'kQ3v0Jr9TzWm1xYc8LdPqA', ms: 12, lines: '' }],
        algorithms: ['MOTION'],
        max: 8,
      },
    },
    answers: {
      200: json('The outcome of each answer, and the claimed sub-jobs.', answersAnswer),
      400: wrong,
      403: sentence('The token may not claim work of these algorithms.'),
    },
    async handle({ body: { answers, algorithms = [], max }, ctx }, deps: WorkerProtocolDeps) {
      const queues = max === 0 || algorithms.length === 0 ? [] : nextQueuesOf(ctx, algorithms);
      const outcomes = await deps.workerGateway.intake.answers(claimantOf(ctx).worker, answers);
      const refused = outcomes.map((outcome) => (outcome.kind === 'accepted' ? null : refusalText(outcome)));
      if (queues.length === 0) return ok({ refused, work: [] });
      return ok({ refused, work: await handOut(ctx, deps, { queues, max, waitMs: 0, inTurn: true }) });
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'get',
    path: '/worker/v1/leases/{token}/input',
    id: 'getDocumentInput',
    summary: 'Read the data for the document of a job',
    description: 'For the built-in media component; may change without notice.',
    params: leaseParams,
    answers: {
      200: content('A line of JSON each.', NDJSON),
      409: lost,
    },
    async handle({ params: { token }, ctx }, { workerGateway }: WorkerProtocolDeps) {
      const lines = await workerGateway.input(token, claimantOf(ctx).worker);
      if (lines === undefined) throw leaseLost();
      // A file is returned as it is. A wrapped file would stay open if the client does not read it.
      return ok(lines instanceof Readable ? lines : Readable.from(lines));
    },
  }),
];

/** Returns those of the algorithms for which the caller may claim work. @throws HttpError 403 if there are none */
function queuesOf(ctx: Context, algorithms: readonly string[]): readonly string[] {
  const { queues: allowed } = claimantOf(ctx);
  const queues = allowed === null ? algorithms : algorithms.filter((queue) => allowed.includes(queue));
  if (queues.length === 0)
    throw new HttpError(
      'algorithm-not-allowed',
      `This token cannot claim work of ${algorithms.join(', ')}: that needs a component with this algorithm, registered by the same client, or the role ADMIN.`,
    );
  return queues;
}

/** Returns the CPU time from the trailer or the header of the request. */
function cpuMsOf({ req: { headers, trailers } }: Context): number | undefined {
  const cpuMs = Number(trailers[CPU_HEADER] ?? headers[CPU_HEADER]);
  return cpuMs >= 0 && Number.isFinite(cpuMs) ? cpuMs : undefined;
}

/**
 * Returns the queues from which to claim after an answer. A process whose service is stopping gets no more work, and may answer its leased
 * sub-jobs.
 */
function nextQueuesOf(ctx: Context, algorithms: readonly string[]): readonly string[] {
  const { queues, outside } = claimantOf(ctx);
  return !outside && queues?.length === 0 ? [] : queuesOf(ctx, algorithms);
}

async function handOut(
  ctx: Context,
  { workerGateway, workers }: WorkerProtocolDeps,
  wanted: Pick<Claim, 'queues' | 'max' | 'waitMs' | 'inTurn'>,
): Promise<readonly Assignment[]> {
  const { worker, managed, outside } = claimantOf(ctx);
  if (outside) workers.askedFromOutside(wanted.queues, performance.now());
  const service = outside ? {} : { service: serviceOfWorker(worker) };
  const claim = { ...wanted, worker, ...service, lasting: !managed };
  const { work, giveBack } = await workerGateway.claim(claim, leftBy(ctx.res));
  whenClosed(ctx.res, () => {
    if (!ctx.res.writableFinished) giveBack();
  });
  return work;
}
