import { z } from 'zod';

/** Specification 4.8. */
export const queueInfo = z
  .object({
    name: z.string(),
    messagesInQueue: z
      .int()
      .min(0)
      .describe('Sub-jobs that wait; those in the hands of a component are not counted'),
  })
  .meta({ id: 'QueueInfo' });
