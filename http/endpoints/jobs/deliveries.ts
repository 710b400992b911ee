import type { Context } from 'koa';
import { z } from 'zod';
import type { Sight } from '../../../domain/users/owner.ts';
import {
  jobOfDeliveryId,
  type DeliveryPage,
  type DeliveryQuery,
  type ShownDelivery,
} from '../../../actors/views/deliveries.ts';
import { userOf } from '../../access/bearer.ts';
import { answerWith, json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import { delivery, deliveryId, deliveryPage, deliveryQuery } from '../../schemas/jobs/deliveries.ts';
import { cursorOf, cursorText } from '../../schemas/jobs/job-list.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { JobAccess } from '../../users/job-access.ts';
import type { JobGuard } from '../../users/job-step.ts';

export interface DeliveryDeps {
  readonly deliveries: {
    list(query: DeliveryQuery): Promise<DeliveryPage>;
    /** Returns one delivery. `sight`: the jobs that the caller may see. */
    one(id: string, sight: Sight): Promise<ShownDelivery | undefined>;
    /** Sends a callback again. `by`: name of the user who requested this. */
    redeliver(id: string, by: string): Promise<'pending' | 'unknown' | 'live'>;
  };
}

const COMMON = { tag: 'Callbacks', caller: 'USER', jobs: 'LIST' } as const;
const params = z.object({ id: deliveryId });
const NO_SUCH_DELIVERY = sentence('There is no such delivery, or its job has run again since.');
const DELIVERY = {
  id: 'host-12_1_callback',
  jobId: 'host-12',
  state: 'PENDING',
  method: 'POST',
  url: 'https://receiver.example/done',
  jobStatus: 'COMPLETE',
  createdAt: '2026-03-01T09:30:00.000+01:00',
  attempts: [
    {
      at: '2026-03-01T09:30:01.000+01:00',
      status: 503,
      error: 'the receiver answered with status 503',
    },
  ],
  nextAttempt: '2026-03-01T09:30:02.000+01:00',
};

/** @throws HttpError 403 for a delivery of another user, 404 for one that the caller must not see */
async function checkOwn(ctx: Context, id: string, jobAccess: JobAccess): Promise<void> {
  const number = jobOfDeliveryId(id);
  const verdict = number === null ? 'GRANTED' : await jobAccess.judge(ctx, 'BATCH_JOB', number, 'CHANGE');
  if (verdict === 'HIDDEN') throw notFound(id);
  if (verdict === 'GRANTED') return;
  throw new HttpError(
    'job-of-another-user',
    `Delivery ${id} belongs to another user. Only its owner and an ADMIN can repeat it.`,
  );
}

const notFound = (id: string) => notThere('delivery', id, '/rest/deliveries');

/** Callbacks and the attempts to deliver them (not in the specification). */
export const deliveryEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/deliveries',
    id: 'listDeliveries',
    summary: 'List the callbacks of jobs that have ended',
    description: 'A delivery is stored as long as its job. A new run of the job replaces it.',
    query: deliveryQuery,
    answers: {
      200: json('A page of deliveries.', deliveryPage, { deliveries: [DELIVERY], next: null }),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle(
      { query: { before, ...query }, ctx },
      { deliveries: views, jobAccess }: DeliveryDeps & JobGuard,
    ) {
      const { score, number } = cursorOf(before) ?? {};
      const cursor = score === undefined || number === undefined ? undefined : { score, number };
      const { limit, state, receiver, job } = query;
      const sight = jobAccess.sight(ctx);
      const { deliveries, next } = await views.list({ limit, state, receiver, job, sight, before: cursor });
      return ok({ deliveries, next: next === null ? null : cursorText(next) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/deliveries/{id}',
    id: 'getDelivery',
    summary: 'Get one callback with its attempts',
    params,
    answers: { 200: json('The delivery.', delivery, DELIVERY), 404: NO_SUCH_DELIVERY },
    async handle({ params: { id }, ctx }, { deliveries, jobAccess }: DeliveryDeps & JobGuard) {
      const found = await deliveries.one(id, jobAccess.sight(ctx));
      if (found === undefined) throw notFound(id);
      return ok(found);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/deliveries/{id}/redeliver',
    id: 'redeliver',
    summary: 'Send a callback once more',
    description:
      'Troupe sends the callback again at once, even if it has arrived or failed. Its id stays the same, so a receiver recognizes a duplicate.',
    params,
    answers: {
      202: json('It will be sent.', delivery, DELIVERY),
      404: NO_SUCH_DELIVERY,
      409: sentence('The job runs again. Its end causes a new callback.'),
    },
    async handle({ params: { id }, ctx }, { deliveries, jobAccess }: DeliveryDeps & JobGuard) {
      await checkOwn(ctx, id, jobAccess);
      const outcome = await deliveries.redeliver(id, userOf(ctx).name);
      if (outcome === 'live')
        throw new HttpError(
          'job-not-finished',
          'The job of this callback runs again. Its end causes a new callback.',
        );
      const found = outcome === 'unknown' ? undefined : await deliveries.one(id, jobAccess.sight(ctx));
      if (found === undefined) throw notFound(id);
      return answerWith(202, found);
    },
  }),
];
