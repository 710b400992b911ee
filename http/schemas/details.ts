import { z } from 'zod';
import { trueOrFalse } from './common.ts';

/** Query of details. Strict clients accept only members of the specification, so all others need details=true. */
export const detailsQuery = z.object({
  details: trueOrFalse.optional().describe('true: with the members that the specification does not list'),
});
