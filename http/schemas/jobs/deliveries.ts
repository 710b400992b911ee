import { z } from 'zod';
import { DELIVERY_STATES } from '../../../actors/batch-job/state/indexes.ts';
import { timestamp, wholeNumber } from '../common.ts';
import { jobId, jobIdParam, jobStatus } from './batch-jobs.ts';

/** Query and answer of the list of callback deliveries (not in the specification). */
const state = z.enum(DELIVERY_STATES).meta({
  id: 'DeliveryState',
  description: 'PENDING: attempts follow; DELIVERED: the receiver accepted it; FAILED: no further attempts',
});

const CURSOR = /^-?\d{1,16}-\d{1,16}$/;

export const deliveryQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Maximum number of deliveries on a page'),
  before: z
    .string()
    .regex(CURSOR, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({
      description: 'Value of next from the previous page',
      examples: ['1772357460000-12'],
    }),
  job: jobIdParam.optional().describe('Only the delivery of this job'),
  state: z
    .string()
    .toUpperCase()
    .pipe(z.enum(DELIVERY_STATES))
    .optional()
    .describe('Only deliveries in this state'),
  receiver: z
    .string()
    .min(1, { error: 'must not be empty' })
    .max(1_000)
    .optional()
    .describe('Only those to this host, with or without its port, or to this origin'),
});

export const deliveryId = z
  .string()
  .max(300)
  .meta({ description: 'The webhook-id of each attempt', examples: ['msg_host-12_1'] });

export const delivery = z
  .object({
    id: deliveryId,
    jobId,
    state,
    method: z.enum(['GET', 'POST']).describe('callbackMethod of the job'),
    url: z.string().describe('The callback URL of the job, without passwords and tokens'),
    jobStatus,
    createdAt: timestamp.describe('The end of the job'),
    attempts: z
      .array(
        z.object({
          at: timestamp.describe('The end of the attempt'),
          status: z.int().nullable().describe('HTTP status of the answer; null: there was none'),
          error: z.string().nullable().describe('Why it failed; null: it did not'),
        }),
      )
      .describe('The last 20, the oldest first'),
    nextAttempt: timestamp
      .nullable()
      .describe('null: none is planned, or the first one has not been made yet'),
  })
  .meta({ id: 'Delivery', description: 'A callback of a job that has ended' });

export const deliveryPage = z
  .object({
    deliveries: z.array(delivery).describe('Those of the jobs that ended last come first'),
    next: z.string().nullable().describe('Value of before for the next page; null: this is the last page'),
  })
  .meta({
    id: 'DeliveryPage',
    description:
      'A page of deliveries. With a filter it may be short, or empty, although more follow: continue until next is null.',
  });
