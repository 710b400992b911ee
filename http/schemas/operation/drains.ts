import { z } from 'zod';
import { pausedSince } from '../common.ts';

/** A service, node or server that drains or has drained. */
export const drain = z
  .object({
    name: z.string().describe('Name of the service, node or server'),
    draining: pausedSince.optional().describe('Absent: it gets work'),
    working: z.int().min(0).describe('Sub-jobs that its processes still work on'),
  })
  .meta({ id: 'Drain' });
