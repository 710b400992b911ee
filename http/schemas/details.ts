import { z } from 'zod';
import { trueOrFalse } from './common.ts';

/** Strict readers know the members that the specification lists: all others stand in answers only when they are asked for. */
export const detailsQuery = z.object({
  details: trueOrFalse.optional().describe('true: with the members that the specification does not list'),
});
