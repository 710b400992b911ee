import { z } from 'zod';
import { trueOrFalse } from './common.ts';

/** Strict readers know the members of the specification only, so all others are in answers only on request. */
export const detailsQuery = z.object({
  details: trueOrFalse.optional().describe('true: with the members that the specification does not list'),
});
