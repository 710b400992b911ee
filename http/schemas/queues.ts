import { z } from 'zod';
import { pausedSince } from './common.ts';

/** Specification 4.8. */
export const queueInfo = z
  .object({
    name: z.string().describe('Name of the queue: SUBJOB and the algorithm, or TRANSFER and a host'),
    messagesInQueue: z
      .int()
      .min(0)
      .describe('Sub-jobs that wait; those that a component has leased are not counted'),
    paused: pausedSince.optional().describe('Absent: the queue is not paused'),
  })
  .meta({ id: 'QueueInfo' });
